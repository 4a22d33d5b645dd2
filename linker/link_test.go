package linker

import (
	"strings"
	"testing"
)

// TestCheck holds what is refused of the links themselves, and its words.
func TestCheck(t *testing.T) {
	tests := map[string]struct {
		links []Link
		want  string
	}{
		"fine": {[]Link{
			{Source: "web/nginx.conf", Target: "/etc/nginx/nginx.conf"}, {Source: "web/*.conf", Target: "/etc/nginx/conf.d/"},
			{Source: "web/[ab]/x", Target: "/etc/x/"}, {Source: "tls/", Target: "/etc/tls/"}, {Source: "tls/", Target: "/etc/whole"},
			{Source: "/srv/cfg/a", Target: "/etc/a"}, {Source: "key", Target: "/etc/key"}, {Source: "*.conf", Target: "/etc/all/"},
		}, ""},
		"source leaves":       {[]Link{{Source: "../x", Target: "/etc/x"}}, `source "../x" leaves the volumes`},
		"source bad pattern":  {[]Link{{Source: "web/[a", Target: "/etc/x/"}}, `is not a pattern: close every [`},
		"source pattern dir":  {[]Link{{Source: "web/*/", Target: "/etc/x/"}}, `is a pattern for directories`},
		"source any depth":    {[]Link{{Source: "web/x/**/*.conf", Target: "/etc/x/"}}, `write "web/x/" for all keys below it, and a target that ends in a slash; or a line for each depth, such as "web/x/*.conf" and "web/x/*/*.conf"`},
		"source any volume":   {[]Link{{Source: "**", Target: "/etc/"}}, `write "VOLUME/" for all keys`},
		"source braces":       {[]Link{{Source: "web/{a,b,}.conf", Target: "/etc/"}}, `source "web/{a,b,}.conf": {,} is no pattern: write a line for each, ["web/a.conf" "web/b.conf" "web/.conf"]`},
		"rendered braces":     {[]Link{{Source: "{rendered}/{a,b}", Target: "/etc/"}}, `write a line for each, ["{rendered}/a" "{rendered}/b"]`},
		"other braces":        {[]Link{{Source: "web/{a}", Target: "/etc/"}}, `write the file, such as "/etc/{a}"`},
		"source no volume":    {[]Link{{Source: "*/x.conf", Target: "/etc/x/"}}, `names no volume: write VOLUME/KEY`},
		"source volumes":      {[]Link{{Source: "./", Target: "/etc/x/"}}, `names no volume`},
		"target relative":     {[]Link{{Source: "web/a", Target: "etc/a"}}, `target "etc/a" is not absolute`},
		"target directory":    {[]Link{{Source: "web/a", Target: "/etc/"}}, `write the file, such as "/etc/a"`},
		"target of a pattern": {[]Link{{Source: "web/*", Target: "/etc/x"}}, `end it in a slash, "/etc/x/"`},
		"target root":         {[]Link{{Source: "web/", Target: "//"}, {Source: "web/a", Target: "/."}}, `is the root directory`},
		"target in state":     {[]Link{{Source: "web/a", Target: "/run/confit/x"}}, `is inside the state directory "/run/confit"`},
		"target in volumes":   {[]Link{{Source: "web/a", Target: "/confit/web/x"}}, `is inside its own volume "/confit/web"`},
		"target in volume":    {[]Link{{Source: "/srv/cfg/a", Target: "/srv/cfg/b"}}, `is inside its own volume "/srv/cfg"`},
		"twice":               {[]Link{{Source: "web/a", Target: "/etc/a"}, {Source: "web/b", Target: "/etc//a"}}, `target "/etc/a" has a link already, for source "web/a"`},
		"inside":              {[]Link{{Source: "web/", Target: "/etc/w"}, {Source: "web/b", Target: "/etc/w/b"}}, `target "/etc/w/b" is inside target "/etc/w"`},
		"holds":               {[]Link{{Source: "web/b", Target: "/etc/w/b"}, {Source: "web/", Target: "/etc/w"}}, `target "/etc/w/b" is inside target "/etc/w"`},
		"one place":           {[]Link{{Source: "web/a", Target: "/etc/a"}, {Source: "/web/", Target: "/etc/b/"}}, `source "/web/" would stand where source "web/a" stands in a generation`},
		"mode of a key":       {[]Link{{Source: "web/a", Target: "/etc/a", Mode: 0o644}}, ""},
		"mode without a copy": {[]Link{{Source: "web/a", Target: "/etc/a", Mode: 0o644, Direct: true}}, `source "web/a" can't have the option mode: a direct key has no copy`},
		"where":               {[]Link{{Source: "web/a", Target: "a", Where: "links:7"}}, `links:7: target "a"`},
		"all at once":         {[]Link{{Source: "../x", Target: "x"}, {Source: "web/a", Target: "y"}}, "leaves the volumes: write VOLUME/KEY, or an absolute path\ntarget \"x\" is not absolute"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := Check(Config{Links: test.links, Volumes: "/confit", State: "/run/confit"})
			switch {
			case test.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("error %v does not say %q", err, test.want)
			}
		})
	}
}

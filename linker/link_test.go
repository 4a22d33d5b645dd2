package linker

import (
	"bytes"
	"errors"
	"os"
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
		"holds":               {[]Link{{Source: "web/b", Target: "/etc/w/b"}, {Source: "web/", Target: "/etc/w"}}, `target "/etc/w" has target "/etc/w/b" inside`},
		"one place":           {[]Link{{Source: "web/a", Target: "/etc/a"}, {Source: "/web/", Target: "/etc/b/"}}, `source "/web/" would stand where source "web/a" stands in a generation`},
		"where":               {[]Link{{Source: "web/a", Target: "a", Where: "links:7"}}, `links:7: target "a"`},
		"all at once":         {[]Link{{Source: "../x", Target: "x"}, {Source: "web/a", Target: "y"}}, "leaves the volumes: write VOLUME/KEY, or an absolute path\ntarget \"x\" is not absolute"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := Check(Config{Links: test.links, Volumes: "/confit", State: "/run/confit"})
			switch {
			case test.want == "" && err != nil:
				t.Errorf("refused: %v", err)
			case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
				t.Errorf("error %v does not say %q", err, test.want)
			}
		})
	}
}

// TestCheckFollowsLinks holds that a target isn't taken for another place than
// it is: /var/run is /run on most systems.
func TestCheckFollowsLinks(t *testing.T) {
	h := newHouse(t, "web/a x")
	h.must(os.MkdirAll(h.path("state"), 0o755))
	h.must(os.Symlink("state", h.path("alias")))
	h.config.Links[0].Target = h.path("alias/x")
	if err := Check(h.config); err == nil || !strings.Contains(err.Error(), "inside the state directory") {
		t.Errorf("a target in the state directory by another name: %v", err)
	}
}

// TestCheckFollowsTheTargetDirectory is the same for a directory of targets that
// is a link itself.
func TestCheckFollowsTheTargetDirectory(t *testing.T) {
	for _, source := range []string{"web/", "web/*"} {
		h := newHouse(t, source+" x/")
		h.must(os.MkdirAll(h.path("state"), 0o755))
		h.must(os.MkdirAll(h.path("etc"), 0o755))
		h.must(os.Symlink("../state", h.path("etc/x")))
		if err := Check(h.config); err == nil || !strings.Contains(err.Error(), "inside the state directory") {
			t.Errorf("%s: a directory of targets that leads into the state directory: %v", source, err)
		}
	}
}

// TestDynamicTargets refuses what only the volume shows: two keys for one
// target.
func TestDynamicTargets(t *testing.T) {
	h := newHouse(t, "web/* x/", "tls/ x/")
	h.write("web", "same", "1")
	h.write("tls", "same", "2", "other", "3")
	h.open()
	h.invalid(`target "`+h.path("etc/x/same")+`" has a link already`, `key "tls/same"`)
}

func TestBake(t *testing.T) {
	h := newHouse(t, "web/a a", "web/ whole", "web/*.conf conf.d/", "web/d d direct")
	h.must(os.MkdirAll(h.path("etc"), 0o755))
	h.must(os.WriteFile(h.path("etc/a"), []byte("image"), 0o644))
	for range 2 { // the second time there is nothing to do
		h.must(Bake(h.config))
		for target, want := range map[string]string{
			"a": h.path("state/live/web/a"), "whole": h.path("state/live/web"), "d": h.path("volumes/web/..data/d"),
		} {
			if to, err := os.Readlink(h.path("etc", target)); err != nil || to != want {
				t.Errorf("%s points at %q, %v; want %q", target, to, err, want)
			}
		}
	}
	if _, err := os.Stat(h.path("state")); err == nil {
		t.Error("the state directory was made at image build")
	}
	baked, err := os.Lstat(h.path("etc/a"))
	h.must(err)
	h.write("web", "a", "a", "d", "d", "x.conf", "x")
	h.open()
	h.adopt()
	h.reads("a", "a", "whole/d", "d", "d", "d", "conf.d/x.conf", "x")
	if now, err := os.Lstat(h.path("etc/a")); err != nil || !os.SameFile(baked, now) {
		t.Error("a link that was right was made again")
	}
}

func TestExplainChangesNothing(t *testing.T) {
	h := newHouse(t, "web/a a", "web/ dir", "web/*.conf conf.d/")
	h.must(os.MkdirAll(h.path("etc/dir/full"), 0o755))
	h.must(os.WriteFile(h.path("etc/a"), []byte("image"), 0o644))
	var out bytes.Buffer
	err := Explain(&out, h.config)
	if err == nil || !strings.Contains(err.Error(), "a directory that isn't empty") {
		t.Errorf("a directory in the way: %v", err)
	}
	for _, words := range []string{"web/a", "(covers what is there)", "(refused)", h.path("etc/conf.d") + "/"} {
		if !strings.Contains(out.String(), words) {
			t.Errorf("%q not in\n%s", words, out.String())
		}
	}
	h.reads("a", "image")
	if _, err := os.Stat(h.path("state")); err == nil {
		t.Error("a state directory was made")
	}
}

func TestInstall(t *testing.T) {
	to := t.TempDir() + "/confit"
	for range 2 {
		if err := Install(to); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(to)
	if err != nil || info.Mode().Perm() != 0o755 || info.Size() == 0 {
		t.Errorf("installed %v, %v", info, err)
	}
	if err := Install(t.TempDir()); err == nil || !strings.Contains(err.Error(), "write the file") {
		t.Errorf("installed over a directory: %v", err)
	}
}

// TestOwns: an app's working directory is in a generation by whichever path the
// state directory is known.
func TestOwns(t *testing.T) {
	h := newHouse(t, "web/a a")
	h.must(errors.Join(os.Mkdir(h.path("real"), 0o755), os.Symlink("real", h.path("state"))))
	h.write("web", "a", "a")
	h.open()
	dir := h.adopt().Dir
	for path, want := range map[string]bool{
		dir: true, dir + "/web": true, h.path("real/generations/1/web (deleted)"): true, h.path("state/live/web"): true,
		h.path("state"): false, h.path("real/generations"): false, h.path("real/generationsX"): false, h.path("etc"): false, "/": false, "": false,
	} {
		if h.linker.Owns(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}

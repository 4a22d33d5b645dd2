package lines_test

import (
	"strings"
	"testing"

	"confit/linker/files"
	"confit/linker/lines"
)

// TestWhatALineMeans: the paths of a line are known without a volume, of which nothing is
// there in this test.
func TestWhatALineMeans(t *testing.T) {
	const v = "/none/volumes"
	for written, want := range map[string]lines.Line{
		"web/a /etc/a":              {Kind: lines.OneKey, Base: v + "/web/a", Prefix: "web/a", Root: v, Floor: v + "/web"},
		"web/sub/a /etc/a":          {Kind: lines.OneKey, Base: v + "/web/sub/a", Prefix: "web/sub/a", Root: v, Floor: v + "/web"},
		"a /etc/a":                  {Kind: lines.OneKey, Base: v + "/a", Prefix: "a", Root: v, Floor: v},
		"web/*.conf /etc/":          {Kind: lines.Glob, Base: v + "/web", Pattern: "*.conf", Prefix: "web", Root: v, Floor: v + "/web"},
		"web/sub/*/*.conf /etc/":    {Kind: lines.Glob, Base: v + "/web/sub", Pattern: "*/*.conf", Prefix: "web/sub", Root: v, Floor: v + "/web"},
		"web/ /etc/web/":            {Kind: lines.Tree, Base: v + "/web", Prefix: "web", Root: v, Floor: v + "/web"},
		"web/ /etc/web":             {Kind: lines.WholeDir, Base: v + "/web", Prefix: "web", Root: v, Floor: v + "/web"},
		"input web/":                {Kind: lines.Tree, Base: v + "/web", Prefix: "web", Root: v, Floor: v + "/web"},
		"/srv/x/a /etc/a":           {Kind: lines.OneKey, Base: "/srv/x/a", Prefix: "srv/x/a", Root: "/", Floor: "/srv/x"},
		v + "/web/a /etc/a":         {Kind: lines.OneKey, Base: v + "/web/a", Prefix: "web/a", Root: v, Floor: v + "/web"},
		"{rendered}/a /etc/a":       {Kind: lines.OneKey, Base: "/{rendered}/a", Prefix: ".rendered/a", Root: "{rendered}", Floor: "/{rendered}", Rendered: true},
		"{rendered}/ /etc/all mode": {Kind: lines.WholeDir, Base: "/{rendered}", Prefix: ".rendered", Root: "{rendered}", Floor: "/{rendered}", Rendered: true},
	} {
		got, err := parse("/none", true, written)
		if err != nil || len(got) != 1 {
			t.Errorf("%s: %v", written, err)
			continue
		}
		g := got[0]
		if g.Kind != want.Kind || g.Base != want.Base || g.Pattern != want.Pattern || g.Prefix != want.Prefix || g.Root != want.Root ||
			g.Floor != want.Floor || g.Rendered != want.Rendered {
			t.Errorf("%s: got\n%+v\nwant\n%+v", written, g, want)
		}
		if lines.IsRendered(g.Prefix+"/x") != want.Rendered {
			t.Errorf("%s: rendered is %v", written, !want.Rendered)
		}
	}
}

// TestTargetOf: which keys have a target of their own, and where.
func TestTargetOf(t *testing.T) {
	for written, want := range map[string]struct {
		key    lines.Key
		target lines.Target
		single bool // it is known without the volume
		whole  bool // nothing happens beside it
		from   string
	}{
		"web/a /etc/a":         {"web/a", "/etc/a", true, false, "/none/volumes/web"},
		"web/*/x /etc/all/":    {"web/sub/x", "/etc/all/sub/x", false, false, "/none/volumes/web"},
		"web/sub/ /etc/all/":   {"web/sub/deep/x", "/etc/all/deep/x", false, false, "/none/volumes/web/sub"},
		"web/sub/ /etc/all":    {"web/sub/x", "", true, true, "/none/volumes/web/sub"},
		"input web/sub/":       {"web/sub/x", "", false, false, "/none/volumes/web/sub"},
		"env web/level LEVEL":  {"web/level", "", false, false, "/none/volumes/web"},
		"env web/sub/* LEVEL*": {"web/sub/x", "", false, false, "/none/volumes/web/sub"},
	} {
		got, err := parse("/none", false, written)
		if err != nil {
			t.Fatal(err)
		}
		g := got[0]
		if target := g.TargetOf(want.key); target != want.target || g.Single() != want.single || g.SearchFrom() != want.from {
			t.Errorf("%s: target %q, single %v, from %s", written, target, g.Single(), g.SearchFrom())
		}
		words := strings.Fields(written)
		l := lines.Link{Use: g.Use, Source: words[0], Target: lines.Target(words[1])}
		if l.WholeDirectory() != want.whole {
			t.Errorf("%s: whole directory is %v", written, !want.whole)
		}
	}
}

// TestVariableOf: a key gives its name to a variable, unless that has another meaning.
func TestVariableOf(t *testing.T) {
	got, err := parse("/none", false, "env web/* *", "env web/level LEVEL")
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[lines.Key]string{"web/NAME": "NAME", "web/CONFIT_X": "", "web/A=B": "", "web/NOTIFY_SOCKET": "", "web/a.b": "a.b"} {
		name, err := got[0].VariableOf(key)
		if name != want || (err == nil) != (want != "") || err != nil && !strings.HasPrefix(err.Error(), "links:1: key ") {
			t.Errorf("%s: %q, %v", key, name, err)
		}
	}
	if name, err := got[1].VariableOf("web/level"); name != "LEVEL" || err != nil {
		t.Errorf("%q, %v", name, err)
	}
}

// TestExempt: the key of a line of its own isn't meant by globs and directories, but is in a
// link to a whole directory.
func TestExempt(t *testing.T) {
	got, err := parse("/none", false, "web/* /etc/all/", "web/ /etc/tree/", "web/ /etc/whole", "input web/a", "input web/")
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{true, true, false, false, false} {
		if got[i].Exempt["web/a"] != want || got[i].Exempt["web/b"] {
			t.Errorf("%s: exempt is %v", got[i].Label(), got[i].Exempt)
		}
	}
}

// TestTaken: of the targets that only the volumes show each is one line's, too.
func TestTaken(t *testing.T) {
	got, err := parse("/none", false, "web/* /etc/", "tls/* /etc/")
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		targets [2]lines.Target
		words   string
	}{
		"two":          {[2]lines.Target{"/etc/a", "/etc/b"}, ""},
		"the same":     {[2]lines.Target{"/etc/a", "/etc/a"}, `target "/etc/a" has a link already, for source "web/*" at links:1`},
		"in another":   {[2]lines.Target{"/etc/a", "/etc/a/b"}, `links:2: target "/etc/a/b" is inside target "/etc/a", which is a link itself, for source "web/*" at links:1: write a path outside of it`},
		"around it":    {[2]lines.Target{"/etc/a/b/c", "/etc/a"}, `links:1: target "/etc/a/b/c" is inside target "/etc/a"`},
		"confit's own": {[2]lines.Target{"/etc/a", "/etc/" + files.KeptPrefix + "a"}, "has a name that confit gives to what it keeps: rename the key"},
	} {
		t.Run(name, func(t *testing.T) {
			taken, added := lines.NewTaken(), true
			for i, target := range tt.targets {
				added = taken.Add(target, got[i], "") && added
			}
			err := taken.Err()
			if (err == nil) != (tt.words == "") || err != nil && (!files.IsInvalid(err) || !strings.Contains(err.Error(), tt.words)) {
				t.Errorf("error %v, want %q", err, tt.words)
			}
			if !added && err == nil {
				t.Error("a target was refused, and nothing is said")
			}
		})
	}
}

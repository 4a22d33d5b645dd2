package linker

import (
	"errors"
	"os"
	"strings"
	"testing"
)

func TestBake(t *testing.T) {
	h := newFixture(t, "web/a a", "web/ whole", "web/*.conf conf.d/", "web/d d direct", "web/sub/ sub/ optional", "input web/i optional", "env web/e E optional", "web/o o optional", "web/p p optional")
	h.config.Links[2].Where, h.config.Links[7].Where = "links:3", "links:8"
	h.must(os.MkdirAll(h.path("etc"), 0o755))
	h.must(errors.Join(os.WriteFile(h.path("etc/a"), []byte("image"), 0o644), os.WriteFile(h.path("etc/o"), []byte("default"), 0o644)))
	for range 2 { // the second time there is nothing to do
		var said strings.Builder
		h.must(Bake(&said, h.checked(), false))
		const want = `not baked: links:3: source "web/*.conf": its keys aren't known yet; write a line for each key, or mount an emptyDir on "DIR/etc/conf.d"
not baked: source "web/sub/": its keys aren't known yet; write "DIR/etc/sub" to link the directory as a whole, a line for each key, or mount an emptyDir there
not baked: links:8: source "web/o": it is optional, and without its key it would hide a regular file; write --bake --optional to make it all the same
baked 4 of 7 link lines, not source "web/*.conf" at links:3 (its keys aren't known yet), not source "web/sub/" (its keys aren't known yet), not source "web/o" at links:8 (it is optional, and without its key it would hide a regular file)
`
		if got := strings.ReplaceAll(said.String(), h.dir, "DIR"); got != want {
			t.Errorf("it says\n%s\nwant\n%s", got, want)
		}
		for target, want := range map[string]string{
			"a": h.path("state/live/web/a"), "whole": h.path("state/live/web"), "d": h.path("volumes/web/..data/d"), "p": h.path("state/live/web/p"),
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
	h.reads("a", "a", "whole/d", "d", "d", "d", "conf.d/x.conf", "x", "o", "default", "p", absent)
	if now, err := os.Lstat(h.path("etc/a")); err != nil || !os.SameFile(baked, now) {
		t.Error("a link that was right was made again")
	}
}

// TestBake_optional: asked for, links of optional lines are made over the image's files, too, and a start leaves them alone.
func TestBake_optional(t *testing.T) {
	h := newFixture(t, "web/o o optional", "web/p p optional", "web/a a")
	h.must(os.MkdirAll(h.path("etc"), 0o755))
	h.must(os.WriteFile(h.path("etc/o"), []byte("default"), 0o644))
	var said strings.Builder
	h.must(Bake(&said, h.checked(), true))
	if said.String() != "baked 3 of 3 link lines\n" {
		t.Errorf("it says %s", &said)
	}
	for _, target := range []string{"o", "p", "a"} {
		if to, err := os.Readlink(h.path("etc", target)); err != nil || to != h.path("state/live/web", target) {
			t.Errorf("%s points at %q, %v", target, to, err)
		}
	}
	h.write("web", "a", "a", "o", "key")
	h.open()
	h.adopt()
	h.reads("a", "a", "o", "key", "p", absent)
}

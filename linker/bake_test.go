package linker

import (
	"os"
	"strings"
	"testing"
)

func TestBake(t *testing.T) {
	h := newHouse(t, "web/a a", "web/ whole", "web/*.conf conf.d/", "web/d d direct", "web/sub/ sub/ optional", "input web/i optional", "env web/e E optional")
	h.config.Links[2].Where = "links:3"
	h.must(os.MkdirAll(h.path("etc"), 0o755))
	h.must(os.WriteFile(h.path("etc/a"), []byte("image"), 0o644))
	for range 2 { // the second time there is nothing to do
		var said strings.Builder
		h.must(Bake(&said, h.config))
		const want = `not baked: links:3: source "web/*.conf": its keys aren't known yet; write a line for each key, or mount an emptyDir on "DIR/etc/conf.d"
not baked: source "web/sub/": its keys aren't known yet; write "DIR/etc/sub" to link the directory as a whole, a line for each key, or mount an emptyDir there
not baked: source "web/i": an input has no target
not baked: source "web/e": a variable has no target
`
		if got := strings.ReplaceAll(said.String(), h.dir, "DIR"); got != want {
			t.Errorf("it says\n%s\nwant\n%s", got, want)
		}
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

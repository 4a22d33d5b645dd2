package linker

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

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

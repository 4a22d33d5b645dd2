package linker

import (
	"os"
	"testing"
	"time"
)

// opened waits for a hint that a changed key was opened, for a while if none is to come.
func (h *fixture) opened(want bool) bool {
	within := 200 * time.Millisecond
	if want {
		within = bound
	}
	return drained(h.linker.Opens(), within)
}

// TestOpens: only an open of a changed key counts, by whatever path.
func TestOpens(t *testing.T) {
	h := newFixture(t, "web/a a", "web/sub/ sub/", "web/dir/ dir")
	h.write("web", "a", "one", "sub/b", "one", "dir/c", "one", "dir/d", "one")
	h.open().adopt()
	h.write("web", "a", "two", "sub/b", "one", "dir/c", "two", "dir/d", "one")
	c := h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	if !h.linker.WatchOpens(h.inUse(), c.Changes) {
		t.Fatal("nothing is watched")
	}
	for _, step := range []struct {
		what string
		do   func() error
		want bool
	}{
		{"a stat", func() error { _, err := os.Stat(h.path("etc/a")); return err }, false},
		{"a key that has not changed", func() error { return read(h.path("etc/sub/b")) }, false},
		{"its neighbour, through a link to the directory", func() error { return read(h.path("etc/dir/d")) }, false},
		{"a listing", func() error { _, err := os.ReadDir(h.path("etc/dir")); return err }, false},
		{"a changed key, through its link", func() error { return read(h.path("etc/a")) }, true},
		{"another, through a link to the directory", func() error { return read(h.path("etc/dir/c")) }, true},
		{"the note of what is accepted", func() error { h.accepts(true); return h.linker.WriteNote(h.note) }, false},
	} {
		h.must(step.do())
		if got := h.opened(step.want); got != step.want {
			t.Errorf("%s: opened %v, want %v", step.what, got, step.want)
		}
	}
	h.must(read(h.path("etc/a")))
	h.linker.UnwatchOpens() // with the hint that may be there
	h.must(read(h.path("etc/a")))
	if h.opened(false) {
		t.Error("a hint came though nothing is watched any more")
	}
}

// TestOpensNothing: what can't be seen isn't watched.
func TestOpensNothing(t *testing.T) {
	h := newFixture(t, "web/a a", "web/b b direct")
	h.write("web", "a", "one", "b", "one")
	h.open().adopt()
	h.write("web", "a", "one", "b", "two")
	c := h.stage()
	h.must(h.linker.Publish(h.candidate.Number, false))
	if h.linker.WatchOpens(h.inUse(), c.Changes) {
		t.Error("a direct key is watched")
	}
}

func read(path string) error {
	_, err := os.ReadFile(path)
	return err
}

package linker

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

func (h *fixture) wantHint() {
	h.Helper()
	select {
	case <-h.linker.Hints():
	case <-time.After(bound):
		h.Fatal("no hint")
	}
}

// TestHintsOfNewDirectories: whatever comes in a plain volume, wherever and
// however fast, the last of it is brought by hints alone, as often as it is
// tried.
func TestHintsOfNewDirectories(t *testing.T) {
	h := newFixture(t, "plain/ tree/ optional", "plain/late/deep/*/key globbed/ optional", "plain/very/late/key key optional")
	volume := h.plain("plain")
	h.open()
	h.adopt()
	for n := range often(60) {
		dir := fmt.Sprintf("new%d/sub", n%3)
		text := fmt.Sprint("text ", n)
		var writer sync.WaitGroup
		writer.Go(func() {
			for _, path := range []string{dir + "/key", "late/deep/x/key", "very/late/key"} {
				if n%5 == 4 {
					h.must(os.RemoveAll(filepath.Join(volume, filepath.Dir(path))))
				}
				h.put(filepath.Join(volume, path), text)
			}
		})
		h.followHints(func() bool {
			for _, target := range []string{"tree/" + dir + "/key", "globbed/x/key", "key"} {
				if data, err := os.ReadFile(h.path("etc", target)); err != nil || string(data) != text {
					return false
				}
			}
			return true
		})
		writer.Wait()
	}
	if !h.linker.watch.Watches(filepath.Join(volume, "late/deep")) {
		t.Error("a directory that came late is not watched")
	}
}

// followHints looks when there is a hint, and never else, until the app would
// read what it should.
func (h *fixture) followHints(ok func() bool) {
	h.Helper()
	for !ok() {
		h.wantHint()
		if _, err := h.tryStage(); err == nil {
			if err := h.linker.Publish(h.candidate.Number, false); err != nil {
				h.must(h.goBack())
				continue
			}
			h.accepts(false)
			h.collect()
		}
	}
}

// wantNoHint wants none, nor one to come of what has happened: an event in a directory that is watched beside
// comes after those.
func (h *fixture) wantNoHint(after string) {
	h.Helper()
	h.must(os.Rename(h.path("state/generations"), h.path("state/moved")))
	select {
	case <-h.linker.Emptied():
	case <-time.After(bound):
		h.Fatal("no hint of the state directory")
	}
	select {
	case <-h.linker.Hints():
		h.Errorf("a hint %s", after)
	default:
	}
}

// TestHintsOfSwaps: a swap is one hint, however many events it has, and however late they come. Once it was
// seen none is left, and what changes nothing of the keys gives none.
func TestHintsOfSwaps(t *testing.T) {
	h := newFixture(t, "web/a a", "tls/b b")
	for _, name := range []string{"web", "tls"} {
		h.write(name, "a", "0", "b", "0")
	}
	h.open()
	h.adopt()
	for n := range often(20) {
		for _, name := range []string{"web", "tls"} {
			h.write(name, "a", fmt.Sprint(name, n), "b", fmt.Sprint(name, n))
			h.wantHint() // while the writer's last events are still to come
			h.put(h.path("volumes", name, "noise"), "")
			h.adopt()
			h.must(os.Remove(h.path("volumes", name, "noise")))
		}
	}
	h.wantNoHint("of swaps that were seen")
}

// TestHintsDuringALook: a swap that comes while a look runs is news for the next one. So is what a look saw
// with which nobody goes on: that of a glance, and of a candidate that is discarded.
func TestHintsDuringALook(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.write("web", "a", "1")
	h.open()
	h.adopt()
	h.write("web", "a", "2")
	h.wantHint()
	c := h.stage()
	h.write("web", "a", "3")
	h.wantHint()
	_, err := h.linker.Stage(Known{Unwritten: true})
	h.must(err)
	h.put(h.path("volumes/web/noise"), "")
	h.wantHint()
	h.adopt()
	h.reads("a", "3")
	h.linker.Discard(c.Number)
	h.wantHint()
}

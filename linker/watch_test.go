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

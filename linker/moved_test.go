package linker

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"weak"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/volume"
)

// TestStageWhileTheOldGoes: the kubelet removes a directory that it has swapped out, key
// by key. A look that had opened it finds some keys missing. If the others are the
// accepted ones, that doesn't mean that the accepted generation is mounted again.
func TestStageWhileTheOldGoes(t *testing.T) {
	h := newFixture(t, "web/ web/")
	h.write("web", "a", "1")
	h.open().adopt()
	h.write("web", "a", "1", "b", "2")
	web := h.path("volumes/web")
	old, err := os.Readlink(filepath.Join(web, lines.DataLink))
	h.must(err)
	r, err := h.linker.reader.Look()
	h.must(err)
	defer r.Close()

	h.put(filepath.Join(web, "..next/a"), "3")
	tmp := filepath.Join(web, "..data_tmp")
	h.must(errors.Join(os.Symlink("..next", tmp), os.Rename(tmp, filepath.Join(web, lines.DataLink)), os.Remove(filepath.Join(web, old, "b"))))
	known := h.known()
	var c Candidate
	if err := h.linker.take(r, &known, &c); !errors.Is(err, files.ErrMoved) {
		t.Errorf("error %v and generation %d of what is being removed, want %v", err, c.Number, files.ErrMoved)
	}
	if c := h.adopt(); changed(c) != "web/a" {
		t.Errorf("changes: %s", changed(c))
	}
}

// TestKeepLetsGoOfTheLook: a candidate leads to all that was looked at, so that a publish
// can ask whether it has changed. Once the generation is accepted, nobody asks any more,
// and the memory of some thousand keys is free.
func TestKeepLetsGoOfTheLook(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.write("web", "a", "1")
	h.open()
	look := h.publishLook()
	if runtime.GC(); look.Value() == nil {
		t.Error("nobody could ask whether the volumes have changed")
	}
	h.accept()
	for range 100 {
		if runtime.GC(); look.Value() == nil {
			return
		}
	}
	t.Error("the look is still in memory")
}

// publishLook publishes what a look has found, and returns the look.
func (h *fixture) publishLook() weak.Pointer[volume.Reading] {
	h.Helper()
	r, err := h.linker.reader.Look()
	h.must(err)
	defer r.Close()
	known := h.known()
	h.must(h.linker.take(r, &known, &h.candidate))
	h.must(h.linker.Publish(h.candidate.Number, false))
	return weak.Make(r)
}

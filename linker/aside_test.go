package linker

import (
	"os"
	"testing"
)

// ownFiles are the names of all files of the state directory.
var ownFiles = []string{"note.json", "trial", "targets.json", "status.json", "live", "lock", "notify"}

// wantAside checks that what stood in a file's place is kept beside it, and that the file is there.
func (h *fixture) wantAside(name string) {
	h.Helper()
	if _, err := os.Lstat(h.path("state", ".confit-replaced-"+name, "x")); err != nil {
		h.Errorf("%s: what stood there isn't kept: %v", name, err)
	}
	if info, err := os.Lstat(h.path("state", name)); name != "notify" && (err != nil || info.IsDir()) {
		h.Errorf("%s isn't the file: %v", name, err)
	}
}

// takesPlace puts a directory in the place of a file.
func (h *fixture) takesPlace(name string) {
	h.Helper()
	h.must(os.RemoveAll(h.path("state", name)))
	h.must(os.MkdirAll(h.path("state", name, "x"), 0o755))
}

// TestAside: a directory in the place of any of confit's own files is moved aside, at a start and while confit works. So are two, one after
// the other.
func TestAside(t *testing.T) {
	for _, name := range ownFiles {
		h := newStored(t, "web/ web/")
		h.close()
		h.takesPlace(name)
		h.open()
		for i, content := range []string{"a2", "a3"} {
			h.write("web", "a", content, "new"+content, "")
			h.linker.RecordTrial(Trial{Hash: Hash{1}, Step: StepHooks, Kills: 1})
			h.adopt()
			h.must(h.linker.WriteNote(h.note))
			h.must(h.linker.WriteStatus([]byte("{}")))
			h.reads("web/a", content)
			h.wantAside(name)
			if i == 0 && name != "lock" && name != "notify" { // which are made at a start
				h.must(os.RemoveAll(h.path("state", ".confit-replaced-"+name)))
				h.takesPlace(name)
			}
		}
		h.restart().wantAccepted(h.note.Ladder.InForce().Number)
	}
}

// TestAside_removed: a record that isn't needed any more goes, whatever stands in its place.
func TestAside_removed(t *testing.T) {
	h := newStored(t, "web/ web/")
	h.linker.RecordTrial(Trial{Hash: Hash{1}, Step: StepHooks, Kills: 1})
	h.takesPlace("trial")
	h.linker.RecordTrial(Trial{})
	if _, err := os.Lstat(h.path("state/trial")); !os.IsNotExist(err) {
		t.Errorf("it is there: %v", err)
	}
	if h.said.Len() > 0 {
		t.Errorf("it says %s", &h.said)
	}
}

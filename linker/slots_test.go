package linker

import "testing"

// TestCollect_newer: a candidate that the caller doesn't know of yet stays.
func TestCollect_newer(t *testing.T) {
	h := newFixture(t, "web/ web/").openWith("one")
	h.write("web", "a", "two")
	known := h.linker.Newest()
	h.stage()
	h.linker.Collect(known, h.note.Ladder.Numbers()...)
	h.wantOnDisk(1, 2)
	h.linker.Collect(h.linker.Newest(), h.note.Ladder.Numbers()...)
	h.wantOnDisk(1)
}

// TestDiscard: a candidate goes away. What is in force, and what the note names, doesn't.
func TestDiscard(t *testing.T) {
	h := newFixture(t, "web/ web/").openWith("one")
	h.edit("two", false)
	h.must(h.linker.WriteNote(h.note))
	h.write("web", "a", "three")
	h.stage()
	h.wantOnDisk(1, 2, 3)
	for number := range 5 {
		h.linker.Discard(number)
	}
	h.wantOnDisk(1, 2)
}

// TestRepair_afterwards: a look that comes after a publish doesn't bring back what was in force before.
func TestRepair_afterwards(t *testing.T) {
	h := newFixture(t, "web/ web/").openWith("one")
	h.edit("two", false)
	for number := 1; number <= 2; number++ {
		if anew, err := h.linker.Repair(number); anew || err != nil {
			t.Errorf("repaired generation %d: %v, %v", number, anew, err)
		}
		h.reads("web/a", "two")
	}
}

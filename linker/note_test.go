package linker

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/quick"

	"golang.org/x/sys/unix"

	"confit/linker/target"
)

var anOutcome = Outcome{Hash: strings.Repeat("a", 64), Kind: "rejected", Step: "verify", Reason: "the app ended with exit 1", Source: "stored"}

// wantOutcomes checks what the next confit is told of gates.
func (h *fixture) wantOutcomes(want ...Outcome) {
	h.Helper()
	if got := h.restart().former.Outcomes; !slices.Equal(got, want) {
		h.Errorf("the outcomes are %+v, want %+v", got, want)
	}
}

// TestOutcomes: what the report hook hasn't taken is there for the next confit, with and without an
// accepted generation, until a note has nothing.
func TestOutcomes(t *testing.T) {
	h := newFixture(t, "web/a a").open()
	h.wantOutcomes()
	h.note.Outcomes = []Outcome{anOutcome}
	h.must(h.linker.WriteNote(h.note))
	h.wantOutcomes(anOutcome)
	h.wantAccepted(0)
	h.write("web", "a", "a1")
	h.adopt()
	h.must(h.linker.WriteNote(h.note))
	number := h.note.Ladder.InForce().Number
	h.wantOutcomes(anOutcome)
	h.wantAccepted(number)
	h.note.Outcomes = nil
	h.must(h.linker.WriteNote(h.note))
	h.wantOutcomes()
	h.wantAccepted(number)
	h.noLeftovers()
}

// TestOutcomes_in_order: a question stands behind what was decided before it. What names no generation is left out.
func TestOutcomes_in_order(t *testing.T) {
	h := newFixture(t, "web/a a").open()
	question := Outcome{Hash: strings.Repeat("c", 64)}
	h.must(h.linker.WriteNote(Note{Outcomes: []Outcome{anOutcome, question}}))
	h.wantOutcomes(anOutcome, question)
	h.must(h.editNote(func(note map[string]any) {
		note["outcomes"] = append([]any{map[string]string{"outcome": "soaked"}}, note["outcomes"].([]any)...)
	}))
	h.wantOutcomes(anOutcome, question)
}

// TestNotePartsAlone: a generation that isn't believed takes no outcome with it, and a
// list that is none no generation.
func TestNotePartsAlone(t *testing.T) {
	h := newStored(t, "web/ web/")
	h.note.Outcomes = []Outcome{anOutcome}
	h.must(h.linker.WriteNote(h.note))
	h.must(edit("hash", "00")(h))
	h.wantOutcomes(anOutcome)
	h.wantAccepted(0, "its hash differs")
	h.adopt()
	h.must(h.linker.WriteNote(h.note))
	number := h.note.Ladder.InForce().Number
	h.must(h.editNote(func(note map[string]any) { note["outcomes"] = 1 }))
	h.wantOutcomes()
	h.wantAccepted(number, "damaged")
}

// TestNoteOnAFullDisk: the note that was there stays.
func TestNoteOnAFullDisk(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.must(os.Mkdir(h.path("state"), 0o755))
	if err := unix.Mount("tmpfs", h.path("state"), "tmpfs", 0, "nr_inodes=20"); err != nil {
		t.Fatalf("cannot mount a tmpfs, to fill it: %v", err)
	}
	defer func() { h.must(unix.Unmount(h.path("state"), unix.MNT_DETACH)) }()
	h.open()
	h.note.Outcomes = []Outcome{anOutcome}
	h.must(h.linker.WriteNote(h.note))
	for n := range 40 {
		_ = os.Mkdir(h.path("state", "full"+strings.Repeat("x", n)), 0o755)
	}
	other := anOutcome
	other.Kind = "accepted"
	if err := h.linker.WriteNote(Note{Outcomes: []Outcome{other}}); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("noted on a full disk: %v", err)
	}
	h.note.Outcomes = nil
	if n, err := h.linker.readNote(); err != nil || !slices.Equal(n.Outcomes, []Outcome{anOutcome}) {
		t.Errorf("the outcomes are %+v, %v", n.Outcomes, err)
	}
}

// TestNote_is_read_as_it_was_written: whatever a file of the state directory says, reading brings it back.
func TestNote_is_read_as_it_was_written(t *testing.T) {
	same := func(n noteFile, s savedTrial, made map[Target]target.Dest) bool {
		return readBack(n) && readBack(s) && readBack(made)
	}
	if err := quick.Check(same, nil); err != nil {
		t.Error(err)
	}
}

func readBack[T any](value T) bool {
	var read T
	want, _ := json.Marshal(value) // an empty list that is left out is none when it is read
	err := json.Unmarshal(want, &read)
	again, _ := json.Marshal(read)
	return err == nil && string(again) == string(want)
}

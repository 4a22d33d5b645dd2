package linker

import (
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"testing/quick"

	"golang.org/x/sys/unix"

	"confit/internal/tojson"
	"confit/linker/target"
)

var aRecord = Record{Hash: strings.Repeat("a", 64), Outcome: "rejected", Step: "verify", Reason: "the app ended with exit 1", Source: "stored"}

// wantRecord checks what the next confit is told of a gate.
func (h *house) wantRecord(want *Record) {
	h.Helper()
	switch got := h.restart().linker.former.Record; {
	case got == nil || want == nil:
		if got != want {
			h.Errorf("the record is %+v, want %+v", got, want)
		}
	case *got != *want:
		h.Errorf("the record is %+v, want %+v", *got, *want)
	}
}

// TestRecord: the record of a gate is there for the next confit, with and without an
// accepted generation, until a note has none.
func TestRecord(t *testing.T) {
	h := newHouse(t, "web/a a").open()
	h.wantRecord(nil)
	h.linker.record = &aRecord
	h.must(h.linker.Store())
	h.wantRecord(&aRecord)
	h.wantAccepted(0)
	h.write("web", "a", "a1")
	h.adopt()
	h.must(h.linker.Store())
	number := h.linker.accepted().Number
	h.wantRecord(&aRecord)
	h.wantAccepted(number)
	h.linker.record = nil
	h.must(h.linker.Store())
	h.wantRecord(nil)
	h.wantAccepted(number)
	h.noLeftovers()
}

// TestRecord_late: what became of an accepted change is there beside the record of a gate. One that names nothing is none.
func TestRecord_late(t *testing.T) {
	h := newHouse(t, "web/a a").open()
	late := aRecord
	late.Told = "relapsed"
	h.must(h.linker.WriteNote(Note{Record: &aRecord, Late: &late}))
	h.wantRecord(&aRecord)
	if got := h.linker.former.Late; got == nil || *got != late {
		t.Errorf("the late record is %+v, want %+v", got, late)
	}
	h.must(h.editNote(func(note map[string]any) { note["late"] = map[string]string{"outcome": "settled"} }))
	h.wantRecord(&aRecord)
	if got := h.linker.former.Late; got != nil {
		t.Errorf("the late record is %+v, want none", got)
	}
}

// TestNotePartsAlone: a generation that isn't believed takes no record with it, and a
// record that is no record no generation.
func TestNotePartsAlone(t *testing.T) {
	h := newStored(t, "web/ web/")
	h.linker.record = &aRecord
	h.must(h.linker.Store())
	h.must(edit("hash", "00")(h))
	h.wantRecord(&aRecord)
	h.wantAccepted(0, "its hash differs")
	h.adopt()
	h.must(h.linker.Store())
	number := h.linker.accepted().Number
	h.must(h.editNote(func(note map[string]any) { note["gate"] = []int{1} }))
	h.wantRecord(nil)
	h.wantAccepted(number, "damaged")
}

// TestNoteOnAFullDisk: the note that was there stays.
func TestNoteOnAFullDisk(t *testing.T) {
	h := newHouse(t, "web/a a")
	h.must(os.Mkdir(h.path("state"), 0o755))
	if err := unix.Mount("tmpfs", h.path("state"), "tmpfs", 0, "nr_inodes=20"); err != nil {
		t.Fatalf("cannot mount a tmpfs, to fill it: %v", err)
	}
	defer func() { h.must(unix.Unmount(h.path("state"), unix.MNT_DETACH)) }()
	h.open()
	h.linker.record = &aRecord
	h.must(h.linker.Store())
	for n := range 40 {
		_ = os.Mkdir(h.path("state", "full"+strings.Repeat("x", n)), 0o755)
	}
	other := aRecord
	other.Outcome = "accepted"
	if err := h.linker.WriteNote(Note{Record: &other}); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("noted on a full disk: %v", err)
	}
	h.linker.record = nil
	if n, err := h.linker.readNote(); err != nil || n.Record == nil || *n.Record != aRecord {
		t.Errorf("the record is %+v, %v", n.Record, err)
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
	err := json.Unmarshal(tojson.Append(nil, value), &read)
	again, _ := json.Marshal(read)
	want, _ := json.Marshal(value) // an empty list that is left out is none when it is read
	return err == nil && string(again) == string(want)
}

package linker

import (
	"reflect"
	"strings"
	"testing"
)

// TestNoteComesBack: the next confit finds all that a note says. A field of which the test says nothing fails it.
func TestNoteComesBack(t *testing.T) {
	h := newEarlier(t)
	want := h.linker.held
	want.Survived, want.Settled, want.Relapses, want.Lived, want.Told = true, true, 2, 5e9, Told{Asked: true, Relapsed: true, Settled: true}
	note := Note{Accepted: want, Outcomes: []Outcome{anOutcome}, Relapsed: &Relapsed{Hash: strings.Repeat("b", 64), At: 1e9}}
	for _, of := range []any{note, note.Accepted} {
		for v, i := reflect.ValueOf(of), 0; i < v.NumField(); i++ {
			if v.Field(i).IsZero() {
				t.Errorf("the note says nothing of %s.%s", v.Type().Name(), v.Type().Field(i).Name)
			}
		}
	}
	h.must(h.linker.WriteNote(note))
	got := h.restart().linker.former.Note
	for _, g := range []*Generation{&got.Accepted.Generation, &got.Accepted.Earlier, &note.Accepted.Generation, &note.Accepted.Earlier} {
		g.Keys, g.Env = nil, nil // another confit reads its own
	}
	if !reflect.DeepEqual(got, note) {
		t.Errorf("the next confit finds\n%+v, want\n%+v", got, note)
	}
}

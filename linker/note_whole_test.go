package linker

import (
	"reflect"
	"testing"
)

// TestNoteComesBack: the next confit finds all that a note says. A field of which the test says nothing fails it.
func TestNoteComesBack(t *testing.T) {
	h := newEarlier(t)
	want := h.note.Ladder
	want.On = 1
	top := want.Top()
	*top = Rung{top.Generation, true, true, true, 2, Told{Asked: true, Relapsed: true, Soaked: true}}
	note := Note{Ladder: want, Outcomes: []Outcome{anOutcome}, Late: Late{Inputs: Hash{7}, Common: Hash{8}, At: 1e9, Wait: 3600}, Entrypoint: 42}
	for _, of := range []any{note, note.Ladder, note.Late, *top, top.Told} {
		for v, i := reflect.ValueOf(of), 0; i < v.NumField(); i++ {
			if name := v.Type().Field(i).Name; v.Field(i).IsZero() && name != "Unread" { // of which no note says anything
				t.Errorf("the note says nothing of %s.%s", v.Type().Name(), name)
			}
		}
	}
	h.must(h.linker.WriteNote(note))
	got := h.restart().former.Note
	for _, l := range []*Ladder{&got.Ladder, &note.Ladder} {
		for i := range l.Rungs {
			l.Rungs[i].Sums, l.Rungs[i].Env = nil, nil // another confit reads its own
		}
	}
	if !reflect.DeepEqual(got, note) {
		t.Errorf("the next confit finds\n%+v, want\n%+v", got, note)
	}
}

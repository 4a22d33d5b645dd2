package supervisor

import (
	"time"

	"confit/linker"
)

// alreadyStored is the proof of a generation that was accepted before.
const alreadyStored = "stored"

// toNote is what note.json has to say; nil: nothing else than it will, or the linker can't be asked
// to write it. What is accepted counts once the transaction is over: a stop may still take back a
// verdict that is held. What isn't proved is never noted.
func (s *state) toNote() *linker.Note {
	n := linker.Note{Ladder: s.note.given.Ladder, Outcomes: s.outcomes.List, Late: s.noteLate(),
		Entrypoint: s.note.given.Entrypoint}
	if (s.phase == running || s.ladder.Counted) && s.held == nil && !s.isUnproved() {
		n.Ladder, n.Entrypoint = s.ladder.Ladder, int64(s.entered/time.Second)
	}
	// what is decided to be told is noted with the list
	if noted, is := n.Ladder.InForce(), s.accepted(); noted.Number == is.Number {
		noted.Told = is.Told
	}
	if s.degraded != "" || n.Equal(s.note.given) {
		return nil
	}
	note := n // on the heap, if it is news
	return &note
}

// storeNote has the note written. It is tried again until it works.
func (t *transition) storeNote() {
	if !t.ladder.Counted && !t.over(t.note.by) {
		return
	}
	t.note.by = noDeadline
	if note := t.toNote(); note != nil {
		t.note.given, t.ladder.Counted = note, t.ladder.Counted && t.held != nil
		t.assign(writeNote{note})
	}
}

// sayAccepted says that the generation is accepted which the note has now.
func (t *transition) sayAccepted() {
	if t.pendingProof == "" || t.ladder.Ladder != t.note.held.Ladder {
		return
	}
	keys := about(t.accepted().Generation, "proof", t.pendingProof)
	if t.accepted().Fallback {
		keys = append(keys, "source", source(t.accepted().Generation))
	}
	if t.pendingProof != alreadyStored {
		t.Info("generation accepted", keys...)
	}
	t.pendingProof = ""
}

// tidy does what is left to do after a transaction: it notes what is accepted, also if a note was
// refused a moment ago, and removes what nobody can go back to. The linker spares what is noted: it
// may refuse this note, too.
func (t *transition) tidy() {
	t.note.by = noDeadline
	t.storeNote()
	if t.untidy && t.held == nil {
		t.untidy = false
		t.collect()
	}
}

// discard removes a candidate that leads to nothing.
func (t *transition) discard() {
	if n := t.candidate.Number; n != 0 && n != t.accepted().Number {
		t.collect()
	}
}

// collect removes the generations that nobody can go back to.
func (t *transition) collect() { t.assign(collect{inUse: t.ladder.Numbers()}) }

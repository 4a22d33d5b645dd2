package supervisor

import (
	"log/slog"
)

// hasAccepted reports whether there is something to go back to.
func (s *state) hasAccepted() bool { return s.accepted.Number != 0 }

// nothingToStartOn reports that only what is mounted could start the app.
func (s *state) nothingToStartOn() bool { return s.neverStarted() && !s.hasAccepted() }

// doubtful reports that the accepted generation has never survived a start, and
// that there is one to go back to if it doesn't.
func (s *state) doubtful() bool { return !s.accepted.Survived && s.accepted.Earlier.Number != 0 }

// standing names the generation that the app goes on with.
func (s *state) standing() string { return name(s.accepted.Generation) }

// alreadyStored is the proof of a generation that was accepted before.
const alreadyStored = "stored"

// proof is what has shown that the app can live with the generation.
func (t *transition) proof() string {
	switch {
	case len(t.config.Verify) > 0:
		return "verify"
	case t.config.Probation > 0:
		return "probation"
	}
	return "none"
}

// accept makes what is in force the generation to go back to.
func (t *transition) accept(proof string) {
	before := t.accepted
	t.makeAccepted(t.started && t.generationInDoubt())
	t.recordProof(proof)
	if t.accepted != before {
		t.unstored = proof
	}
	t.do(inspect{t.app.pid})
	t.rest()
}

// makeAccepted makes what is in force what is gone back to from now on. If that
// is what is mounted, no rejection stands any more.
func (t *transition) makeAccepted(survived bool) {
	t.do(accept{survived})
	t.accepted = t.accepted.Next(t.inForce(), survived)
	t.untidy = true
	if t.exposure.published() {
		t.rejection = rejection{}
		t.recordEnd()
	}
}

// keep goes on with a generation that was not proved, as there is nothing to go
// back to. It isn't stored: the next start proves it anew.
func (t *transition) keep(step string, reason error) {
	t.say(slog.LevelError, "generation not proved, and none was accepted before: it stays", "step", step, "reason", reason.Error(),
		"generation", t.candidate.Number, "hash", t.candidate.Hash, "todo", mendIt)
	t.makeAccepted(false)
	t.rest()
}

// inspected warns of an app that opens its files by a path that will be gone:
// a working directory inside a generation is removed with it.
func (t *transition) inspected(e inspected) {
	if e.inside && !t.app.inside && t.app.runs() {
		t.app.inside = true
		t.say(slog.LevelWarn, "app's working directory is inside a generation: it won't find the next one there", "pid", t.app.pid,
			"todo", "start it in another directory, and let it open its files by their absolute paths")
	}
}

// keepHouse does what is left to do after a transaction: what was accepted is
// written down, again until that works; only then its predecessor is removed.
func (t *transition) keepHouse() {
	switch {
	case t.unstored != "":
		t.do(store{t.accepted.Generation, t.unstored})
	case t.untidy:
		t.untidy = false
		t.do(tidy{})
	}
}

// stored is the answer to store. That a generation was accepted is said only
// now: a container that is killed right after the line goes back to it.
func (t *transition) stored(e stored) {
	switch {
	case e.generation != t.accepted.Generation || t.unstored == "": // it isn't the newest
	case e.err == nil:
		t.unstored, t.storeTrouble = "", ""
		if e.proof != alreadyStored {
			t.say(slog.LevelInfo, "generation accepted", "generation", e.generation.Number, "hash", e.generation.Hash, "proof", e.proof)
		}
		if t.phase == running {
			t.keepHouse()
		}
	case e.err.Error() != t.storeTrouble:
		t.storeTrouble = e.err.Error()
		t.say(slog.LevelWarn, "accepted generation not stored: a container that restarts can't fall back on it",
			"generation", e.generation.Number, "error", t.storeTrouble, "nextTry", t.config.Rescan)
	}
}

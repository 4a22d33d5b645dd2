package supervisor

import (
	"fmt"
	"log/slog"
	"time"

	"confit/notify"
)

// prove waits until the app has shown that it can live with the generation that
// is in force. It must not exit within the probation, and the verify hook, if
// there is one, must succeed in its time. A generation that was rolled back to
// was proved before: only the app is still in doubt, which may yet die of the
// one that it was told of.
func (t *turn) prove() {
	switch {
	case t.app.pid == 0:
		t.drain()
		return
	case t.visible && t.accepted(t.candidate):
		t.accept("stored")
		return
	}
	t.trial = trial{until: t.now.Add(t.config.Probation)}
	if len(t.config.Verify) > 0 && t.visible {
		t.trial.verifyBy = t.now.Add(t.config.VerifyTimeout)
		t.trial.failure = fmt.Errorf("hook did not succeed within %v", t.config.VerifyTimeout)
		t.verify()
		return
	}
	t.phase = proving
	t.goOn()
}

// heard is what the app says of itself, sd_notify(3). That it is ready is as
// good as a probation: it has read what it was to read.
func (t *turn) heard(m notify.Message) {
	if m.HasStatus {
		t.seen.app.Text = m.Status
	}
	switch {
	case m.State == notify.Reloading:
		t.word = begun
	case m.State == notify.Ready && t.word == begun:
		t.word = ready
	}
	if t.phase == proving && t.word == ready && t.trial.verifyBy.IsZero() {
		t.goOn()
	}
}

// proof is what shows that the app can live with the generation.
func (t *turn) proof() string {
	switch {
	case len(t.config.Verify) > 0:
		return "verify"
	case t.word == ready:
		return "ready"
	case t.config.Probation > 0:
		return "probation"
	}
	return "none"
}

func (t *turn) verify() {
	t.phase, t.deadline = proving, t.trial.verifyBy
	t.run(t.config.Verify)
}

// goOn is the next part of the proof, when its time has come.
func (t *turn) goOn() {
	switch over := !t.now.Before(t.trial.verifyBy); {
	case t.hook != 0:
		t.expire()
	case !t.trial.verifyBy.IsZero() && over:
		t.reject("verify", t.trial.failure, t.trial.tail)
	case !t.trial.verifyBy.IsZero():
		t.verify()
	case t.word != ready && t.now.Before(t.trial.until):
		t.deadline = t.trial.until
	case t.restored():
		t.rest()
	default:
		t.accept(t.proof())
	}
}

// verified is the end of one attempt of the verify hook.
func (t *turn) verified(err error, tail string) {
	switch {
	case t.app.pid == 0: // the hook was killed because of that
		t.fall()
	case err == nil:
		t.trial.verifyBy = time.Time{}
		t.goOn()
	case t.expired || !t.now.Before(t.trial.verifyBy):
		t.reject("verify", err, tail)
	default:
		t.trial.failure, t.trial.tail = err, tail
		t.deadline = earlier(t.now.Add(verifyPause), t.trial.verifyBy)
	}
}

// restored reports that the candidate was taken back after the app was told of
// it, so that the app is told of the accepted generation.
func (t *turn) restored() bool { return t.told && !t.visible }

// accept makes the candidate the generation to go back to.
func (t *turn) accept(proof string) {
	known := t.accepted(t.candidate)
	t.makeLive()
	t.sawProof(proof)
	if !known {
		t.do(store{t.live, proof})
	}
	t.rest()
}

// makeLive makes the candidate what is gone back to from now on.
func (t *turn) makeLive() {
	t.do(accept{})
	t.live, t.untidy, t.refused, t.retry = t.candidate.Generation, true, false, retry{}
	t.sawEnd()
}

// stored is the answer to store. That a generation was accepted is said only
// now: a container that is killed right after the line goes back to it, but for
// what the line before says.
func (t *turn) stored(e stored) {
	if e.err != nil {
		t.say(slog.LevelWarn, "accepted generation not stored: a container that restarts can't fall back on it", "error", e.err.Error())
	}
	t.say(slog.LevelInfo, "generation accepted", "generation", e.generation.Number, "hash", e.generation.Hash, "proof", e.proof)
}

// keep goes on with a generation that was not proved, as there is nothing to go
// back to. It isn't stored: the next start proves it anew.
func (t *turn) keep(step string, reason error) {
	t.say(slog.LevelError, "generation not proved, and none was accepted before: it stays", "step", step, "reason", reason.Error(),
		"generation", t.candidate.Number, "hash", t.candidate.Hash, "todo", "mend the configuration: the next change is tried")
	t.makeLive()
	t.rest()
}

// blamed reports whether the app's end is laid to the candidate: it was told of
// it, and there is something to go back to.
func (t *turn) blamed() bool {
	return t.told && t.visible && t.live.Number != 0
}

// fall goes on without the app, whose end is not that of confit. A hook that
// proves something about it is killed first; its end leads back here.
func (t *turn) fall() {
	switch {
	case t.hook != 0:
		t.expire()
	case t.lost != nil:
		reason := t.lost
		t.lost = nil
		t.reject("probation", reason, "")
	default:
		t.drain()
	}
}

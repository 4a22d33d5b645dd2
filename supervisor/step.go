package supervisor

import (
	"fmt"
	"time"

	"confit/config"
	"confit/linker"
	"confit/supervisor/ladder"
)

// begin returns the first state and its actions. The first configuration is staged like any other,
// except that no app runs yet. former is what a former confit left on the same state directory.
// fallback says whether there is one.
func begin(c *config.Config, former *linker.Former, fallback bool, now time.Time) (*state, []action) {
	t := &transition{config: c, now: now, state: state{
		ladder: ladder.Ladder{Ladder: former.Ladder, Fallback: fallback},
		note:   notes{held: &former.Note, given: &former.Note},
		known:  takenUp(former, now),
		links:  c.LinksRead, repairBy: now.Add(c.Rescan),
	}}
	if former.Unread != nil {
		t.complaints[noting] = former.Unread.Error()
	}
	t.entered = time.Duration(former.Entrypoint) * time.Second
	t.takeUp(&former.Note)
	t.takeUpDeaths(former)
	t.look()
	t.doBeside()
	return &t.state, t.actions
}

// step decides what an event means: it returns the next state and what is to be done. It is pure,
// and total: a pair of phase and event that has no rule leaves the phase as it is. The state before
// stays as it was. It comes and goes by its address: the loop's stack stays small, and each event
// leaves one copy, not two.
func step(c *config.Config, s *state, now time.Time, e event) (*state, []action) {
	if s.phase == done {
		return s, nil
	}
	t := &transition{state: *s, config: c, now: now}
	e.take(t)
	t.advance()
	t.doBeside()
	return &t.state, t.actions
}

// A timer that comes late, or twice, does no harm: the deadline is compared with now.
func (elapsed) take(t *transition) {
	if t.isDue(t.heldBy()) {
		t.passVerdict()
	}
	if t.isDue(t.deadline) {
		t.late()
	}
	if t.isDue(t.app.WorksUntil()) {
		t.outlasted()
	}
	if t.onApp().Late() {
		t.drained()
	}
	t.killReportIf(t.outcomes.Late(t.now))
}

// late is the deadline of the phase: the hook is killed, the linker's answer is late, or something
// else is due. A gate may run on.
func (t *transition) late() {
	due := t.row().due
	switch {
	case t.hook && t.phase != gating:
		t.expire()
	case due == nil, t.phase == withdrawing && t.busy:
		t.remind()
	default:
		due(t)
	}
}

// linkerAnswered takes the linker's answer to the job that was awaited last. When nobody waits for
// it any more, as after a stop, it only tells where the targets lead.
func (t *transition) linkerAnswered(e event) {
	t.busy, t.stalled = false, noDeadline
	_, shown := e.(published)
	if answered := t.row().answered; answered != nil {
		answered(t, e)
	} else if shown && t.exposure == hidden {
		t.exposure = visible
	}
}

func (e staged) take(t *transition)     { t.linkerAnswered(e) }
func (e unchanged) take(t *transition)  { t.linkerAnswered(e) }
func (e recorded) take(t *transition)   { t.linkerAnswered(e) }
func (e invalid) take(t *transition)    { t.linkerAnswered(e) }
func (e published) take(t *transition)  { t.linkerAnswered(e) }
func (e barred) take(t *transition)     { t.linkerAnswered(e) }
func (e superseded) take(t *transition) { t.linkerAnswered(e) }
func (e withdrawn) take(t *transition)  { t.linkerAnswered(e) }
func (e lost) take(t *transition)       { t.linkerAnswered(e) }
func (e touched) take(t *transition)    { t.linkerAnswered(e) }
func (e failed) take(t *transition)     { t.linkerAnswered(e) }

func (e hookEnded) take(t *transition) {
	t.hookOver(t.ownHook().Failure(e.Status, t.expired), e.Tail)
}

// hookOver takes the end of a hook, or of the attempt to start one. That of one which was killed
// and given up is no answer to what waits for another one by now.
func (t *transition) hookOver(err error, tail string) {
	row, awaited := t.row(), t.hook
	t.hook = false
	switch {
	case !awaited || row.hook == nil:
		t.onApp().LookForLeftovers()
	case row.withoutApp != nil && !t.neverStarted() && !t.app.Runs(): // it was killed because of that
		row.withoutApp(t)
	case row.hookOver != nil:
		row.hookOver(t, err, tail)
	case err != nil:
		t.reject(row.hook(t).Name, err, tail)
	default:
		row.passed(t)
	}
}

// A hint makes confit look: at once, after some quiet, or when the phase is over.
func (hinted) take(t *transition) {
	if look := t.row().hinted; look != nil {
		look(t)
	} else {
		t.pending = true
	}
}

// A hook that could not be started counts as one that failed. But a reload hook that never ran has
// not reloaded the app: nothing has to be undone there, and another try costs no service. What is
// about something that is gone is no failure of a hook.
func (e hookStartFailed) take(t *transition) {
	if e.refused && t.hook {
		t.hook = false
		if t.phase == gating {
			t.outcomes.Unask()
		}
		t.forgetLook()
		t.systemRefused(t.ownHook().Name, e.err)
		return
	}
	if t.phase == reloading && t.exposure == read {
		t.exposure = visible
	}
	t.hookOver(&notStarted{fmt.Errorf("%s: %w", t.ownHook().Name, e.err)}, "")
}

// Somebody has opened what changed. While the app is expected to, no hook runs that could have.
func (opened) take(t *transition) {
	t.noteRead(true)
	if t.phase == reading {
		t.prove()
	}
}

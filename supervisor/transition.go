package supervisor

import (
	"log/slog"
	"slices"
	"time"

	"confit/config"
	"confit/signals"
	"confit/supervisor/app"
	"confit/supervisor/ladder"
)

// transition is one call of step: the state as it becomes, and the actions.
type transition struct {
	state
	actions []action
	config  *config.Config
	now     time.Time
	byDeath bool  // what is rejected now is so for the app's death
	passed  phase // the step of the candidate that is over; 0: none is
}

// goOn goes on with the candidate, as the step of this phase is over.
func (t *transition) goOn() { t.passed = t.phase }

func (t *transition) do(a action) { t.actions = append(t.actions, a) }

// assign has the linker do a job.
func (t *transition) assign(j job) { t.do(assign{j}) }

// Do has the app's half act.
func (t *transition) Do(a app.Action) { t.do(toApp{a}) }

// Say logs a line, of the change or of the app's half.
func (t *transition) Say(l slog.Level, message string, keys ...any) { t.do(say{l, message, keys}) }

// Info says what goes its way.
func (t *transition) Info(message string, keys ...any) { t.Say(slog.LevelInfo, message, keys...) }

// Warn says what somebody should look at.
func (t *transition) Warn(message string, keys ...any) { t.Say(slog.LevelWarn, message, keys...) }

// Error says what is in the way.
func (t *transition) Error(message string, keys ...any) { t.Say(slog.LevelError, message, keys...) }

// noDeadline is for a phase that doesn't end by itself.
var noDeadline time.Time

// enter goes over to a phase that waits for a time.
func (t *transition) enter(p phase, wait time.Duration) { t.enterUntil(p, t.now.Add(wait)) }

// enterUntil goes over to a phase that waits until a time.
func (t *transition) enterUntil(p phase, by time.Time) { t.phase, t.deadline = p, by }

// order gives the linker a job and waits for the answer.
func (t *transition) order(p phase, job action) {
	t.enter(p, linkerPatience)
	t.await(job)
}

// await gives the linker a job whose answer counts.
func (t *transition) await(job action) {
	t.busy = true
	t.do(job)
}

// endHook kills a hook whose outcome no longer matters.
func (t *transition) endHook() {
	if t.hook {
		t.do(killHook{})
		t.hook = false
	}
}

// over reports that a time has come.
func (t *transition) over(by time.Time) bool { return !t.now.Before(by) }

// isDue reports the same of one that is set.
func (t *transition) isDue(by time.Time) bool { return !by.IsZero() && t.over(by) }

// onApp is a move of the app's half.
func (t *transition) onApp() *app.Move {
	c, g := t.config, t.inForce()
	return &app.Move{App: &t.app, Out: t, Now: t.now, Generation: g.Number, Hash: g.Hash, Rules: app.Rules{
		StopSignal: c.StopSignal, StopTimeout: c.StopTimeout, DrainTimeout: c.DrainTimeout, EntryTime: t.entryTimes(1),
		MapSignal: c.MapSignal, MapExit: c.MapExit,
		IsReload: func(s signals.Signal) bool {
			return c.Reload.Signal == s ||
				slices.ContainsFunc(c.Links, func(l config.Link) bool { return c.ActionOf(&l).Signal == s })
		},
	}}
}

// onLadder is a move of what there is to go back to.
func (t *transition) onLadder() *ladder.Move {
	return &ladder.Move{Ladder: &t.ladder, Now: t.now, For: t.config.SoakFor(),
		HasDied: t.died.IsLike(t.accepted().Inputs, t.accepted().Shared)}
}

// forgetLook has the next look compare the bytes.
func (t *transition) forgetLook() { t.fingerprint = "" }

// renew begins another transaction.
func (t *transition) renew(with transaction) { t.transaction = with }

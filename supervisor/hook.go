package supervisor

import (
	"strconv"
	"strings"
	"time"

	"confit/config"
	"confit/linker"
	"confit/supervisor/app"
	"confit/supervisor/hooks"
	"confit/supervisor/outcomes"
)

func (t *transition) renderHook() hooks.Hook {
	return hooks.New("render", t.config.Render, t.config.HookTimeout)
}

func (t *transition) validateHook() hooks.Hook { return hooks.Validate(t.config) }

// runIn enters the phase of a hook, and starts that.
func (t *transition) runIn(p phase, h hooks.Hook) {
	t.enter(p, h.Timeout)
	t.runHook(h)
}

// runHook starts the hook of the phase. A reload and a proof are about the generation in force,
// which may be the accepted one.
func (t *transition) runHook(h hooks.Hook) {
	about := t.candidate
	if t.phase == reloading || t.phase == proving {
		about.Generation = t.inForce()
	}
	t.hook, t.expired = true, false
	t.do(runHook{h.Name, h.Command, about, t.hookVariables(about.Shared)})
}

// expire kills the hook, as its time is over. Its end is an event like any other.
func (t *transition) expire() {
	t.expired = true
	t.do(killHook{})
	t.enter(t.phase, app.TryAgain)
}

// hookVariables are what a hook is told of hashes, and the gate of this moment.
func (t *transition) hookVariables(about linker.Hash) []string {
	list := t.hashVariables(about.Hex())
	if t.phase != gating {
		return list
	}
	starting := ""
	if t.neverStarted() {
		starting = "1"
	}
	return append(list, config.BoundVariable+"="+strconv.Itoa(int(t.bound()/time.Second)+1),
		config.StartingVariable+"="+starting)
}

// reportVariables are what the report hook is told.
func (t *transition) reportVariables(r *linker.Outcome) []string {
	return append(t.hashVariables(r.Hash), config.OutcomeVariable+"="+r.Kind, config.StepVariable+"="+r.Step,
		config.ReasonVariable+"="+r.Reason, config.SourceVariable+"="+r.Source, config.BoundVariable+"="+t.boundOf(r))
}

// boundOf is CONFIT_BOUND of a report, in seconds: after a relapse something follows, or the
// container isn't started any more. The next life and three on lower rungs take --soak each.
func (t *transition) boundOf(r *linker.Outcome) string {
	if r.Kind != outcomes.Relapsed {
		return ""
	}
	whole := min(4*t.config.SoakFor()+restartPatience+t.config.HookTimeout, maxBound)
	return strconv.Itoa(int((whole + time.Second - 1) / time.Second))
}

// maxReason bounds CONFIT_REASON, in bytes.
const maxReason = 4 << 10

// outcome describes an outcome. execve(2) takes no NUL and no long reason, so such a reason is cut.
func (t *transition) outcome(kind, hash, step, reason string) *linker.Outcome {
	reason, _, _ = strings.Cut(reason, "\x00")
	if len(reason) > maxReason {
		reason = strings.ToValidUTF8(reason[:maxReason], "")
	}
	return &linker.Outcome{Hash: hash, Kind: kind, Step: step, Reason: reason, Source: t.source(kind)}
}

// source is what the app goes on with.
func (t *transition) source(kind string) string {
	switch {
	case kind == outcomes.Accepted:
		return source(t.candidate.Generation)
	case kind == outcomes.Soaked && t.rejected == nil && t.candidate.Number == 0, t.exposure == read &&
		!t.ladder.HasAccepted():
		return "mounted"
	case t.ladder.IsDown() && t.accepted().Fallback:
		return "fallback"
	case t.ladder.HasAccepted():
		return "stored"
	}
	return "" // it never started
}

// hashVariables name a configuration, and the accepted one, as every replica names it. Nothing
// accepted has no name.
func (t *transition) hashVariables(about string) []string {
	return []string{config.HashVariable + "=" + about, config.AcceptedVariable + "=" + hexOf(t.accepted().Shared)}
}

// bound is the longest time from the gate's answer to the outcome, roll back included: both may
// take as long as making the app read its files, and a proof. So may the start of an app that left
// at HUP. A volume that doesn't answer and an app that asks for more time by EXTEND_TIMEOUT_USEC=
// aren't counted.
func (t *transition) bound() time.Duration {
	read := 2*app.HandlerWait + t.config.StopTimeout + t.config.DrainTimeout + 2*app.TryAgain
	switch t.reloadAction.Kind {
	case config.Exec:
		read += t.config.HookTimeout
	case config.Touch:
		read += t.config.Probation
	}
	proof := t.config.Probation
	if t.app.SaysReady {
		proof = max(proof, readyTimeout)
	}
	if len(t.config.Verify) > 0 {
		proof += 2 * t.config.VerifyTimeout
	}
	tries := 2
	if t.reloadAction.Auto && t.app.Runs() { // it may leave at HUP
		tries++
	}
	whole := linkerPatience + time.Duration(tries)*(read+proof)
	// the script runs again: any other reload may end in a start
	if t.reloadAction.Kind != config.None || t.neverStarted() {
		whole += t.entryTimes(tries)
	}
	if t.validatesAfter() {
		whole += t.config.HookTimeout
	}
	return whole
}

// disarm ends the trial: if the app doesn't stop in time, the platform kills it and confit, and
// that says nothing of the candidate.
func (t *transition) disarm() {
	t.excused = true
	t.endTrial()
}

// validatesAfter reports whether the hook reads the app's own paths. Then the candidate must be
// published first.
func (t *transition) validatesAfter() bool {
	return len(t.config.Validate) > 0 && !t.validatesBefore()
}

// validatesBefore reports whether the hook reads the candidate's directory. Then nothing is visible
// before it is valid.
func (t *transition) validatesBefore() bool { return t.validateHook().ReadsCandidate() }

// isGated reports whether the gate decides about the candidate. It isn't asked about what all
// replicas share with the accepted generation, nor when the app has nothing else to start on.
func (t *transition) isGated() bool {
	return !t.asks && len(t.config.Gate) > 0 && !t.isAccepted() && t.candidate.Shared != t.accepted().Shared &&
		(t.ladder.HasAccepted() || t.neverStarted() && t.ladder.Fallback)
}

// mustRender, mustValidate, maySplay and mustCheck report that the candidate needs the step.
func (t *transition) mustRender() bool { return t.candidate.Unrendered }

func (t *transition) mustValidate() bool { return t.validatesBefore() && !t.isAccepted() }

func (t *transition) maySplay() bool {
	return !t.asks && t.app.Runs() && t.reloadAction.Kind != config.None && !t.over(t.splayBy)
}

func (t *transition) mustCheck() bool { return t.validatesAfter() && !t.isAccepted() }

// suspectsIn names who may need too much memory in a step of the trial: hooks, and an app that
// reads the candidate. The gate is one of them at a start. Beside an app that runs it may take
// hours, see pauseTrial.
func (t *transition) suspectsIn(step string) string {
	var names []string
	add := func(name string, runs bool) {
		if runs {
			names = append(names, name)
		}
	}
	switch step {
	case linker.StepEntry:
		add("the app's entrypoint", true)
	case linker.StepHooks:
		add("render", t.mustRender())
		add("validate", t.mustValidate())
		add("gate", t.neverStarted() && t.isGated())
	default:
		add("the app", true)
		add("validate", t.mustCheck())
		add("reload", t.app.Runs() && t.reloadAction.Kind == config.Exec)
		add("verify", len(t.config.Verify) > 0)
	}
	return strings.Join(names, ", ")
}

package supervisor

import (
	"fmt"
	"strconv"
	"time"

	"confit/config"
	"confit/linker"
	"confit/process"
)

// placeholder stands in a hook's command for the candidate's directory.
const placeholder = "{candidate}"

// hookStartFailed counts as a hook that failed. But a reload hook that never ran
// has not reloaded the app: nothing has to be undone there, and another try costs
// no service.
func (t *transition) hookStartFailed(e hookStartFailed) {
	if t.phase == reloading && t.exposure == read {
		t.exposure = visible
	}
	t.hookOver(e.err, "")
}

// hookError is nil for a hook that ended well.
func (t *transition) hookError(s process.Status) error {
	return failureOf(s, t.expired, t.hookTimeout())
}

// failureOf is why a hook failed. One that was killed at its deadline did.
func failureOf(s process.Status, expired bool, timeout time.Duration) error {
	switch {
	case expired:
		return fmt.Errorf("hook killed after %v", timeout)
	case s.Success():
		return nil
	}
	return fmt.Errorf("hook ended with %v", s)
}

// hookTimeout is how long the hook of this phase may run.
func (t *transition) hookTimeout() time.Duration {
	switch t.phase {
	case gating:
		return startPatience
	case proving:
		return t.config.VerifyTimeout
	}
	return t.config.HookTimeout
}

// expire kills the hook, as its time is over. Its end is an event like any other.
func (t *transition) expire() {
	t.expired = true
	t.do(killHook{})
	t.enter(t.phase, tryAgain)
}

// isAboutCandidate reports that the hook of the phase decides about the
// candidate. The others are about what is in force.
func (p phase) isAboutCandidate() bool { return p == rendering || p == validating || p == gating }

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
	return append(list, config.BoundVariable+"="+strconv.Itoa(int(t.bound()/time.Second)+1), config.StartingVariable+"="+starting)
}

// reportVariables are what the report hook is told.
func (t *transition) reportVariables(r *linker.Report) []string {
	return append(t.hashVariables(r.Hash), config.OutcomeVariable+"="+r.Outcome, config.StepVariable+"="+r.Step,
		config.ReasonVariable+"="+r.Reason, config.SourceVariable+"="+r.Source)
}

// hashVariables name a configuration as every replica names it. Nothing accepted
// has no name.
func (t *transition) hashVariables(about string) []string {
	accepted := ""
	if t.hasAccepted() {
		accepted = t.accepted.Shared.Hex()
	}
	return []string{config.HashVariable + "=" + about, config.AcceptedVariable + "=" + accepted}
}

package supervisor

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"confit/config"
	"confit/linker"
	"confit/process"
)

// namedHook is a hook as messages name it: validate "nginx -t".
type namedHook struct {
	name    string
	command []string
	timeout time.Duration // how long it may run
}

func (t *transition) renderHook() namedHook {
	return namedHook{"render", t.config.Render, t.config.HookTimeout}
}

func (t *transition) validateHook() namedHook {
	return namedHook{"validate", t.config.Validate, t.config.HookTimeout}
}

func (t *transition) gateHook() namedHook { return namedHook{"gate", t.config.Gate, startPatience} }

func (t *transition) reloadHook() namedHook {
	return namedHook{"reload", t.reloadAction.Command, t.config.HookTimeout}
}

func (t *transition) verifyHook() namedHook {
	return namedHook{"verify", t.config.Verify, t.config.VerifyTimeout}
}

// failure is why the hook failed, or nil. One that was killed at its deadline did.
func (h namedHook) failure(s process.Status, expired bool) error {
	switch {
	case expired:
		return h.errorf("was killed after %v", h.timeout)
	case s.Success():
		return nil
	}
	return h.errorf("ended with %v", s)
}

// maxNamed bounds how much of a command a message names, in bytes. --check
// prints all of it.
const maxNamed = 100

func (h namedHook) errorf(format string, arg any) error {
	command := config.JoinWords(h.command)
	if len(command) > maxNamed {
		command = strings.ToValidUTF8(command[:maxNamed], "") + "…"
	}
	return fmt.Errorf("%s %q "+format, h.name, command, arg)
}

// expire kills the hook, as its time is over. Its end is an event like any other.
func (t *transition) expire() {
	t.expired = true
	t.do(killHook{})
	t.enter(t.phase, tryAgain)
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
	return append(list, config.BoundVariable+"="+strconv.Itoa(int(t.bound()/time.Second)+1), config.StartingVariable+"="+starting)
}

// reportVariables are what the report hook is told.
func (t *transition) reportVariables(r *linker.Record) []string {
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

// bound is the longest time from the gate's answer to the outcome, roll back
// included: both may take as long as making the app read its files, and a proof.
// So may the start of an app that left at HUP. A volume that doesn't answer and an
// app that asks for more time by EXTEND_TIMEOUT_USEC= aren't counted.
func (t *transition) bound() time.Duration {
	read := 2*handlerWait + t.config.StopTimeout + t.config.DrainTimeout + 2*tryAgain
	switch t.reloadAction.Kind {
	case config.Exec:
		read += t.config.HookTimeout
	case config.Touch:
		read += t.config.Probation
	}
	proof := t.config.Probation
	if t.app.saysReady {
		proof = max(proof, readyTimeout)
	}
	if len(t.config.Verify) > 0 {
		proof += 2 * t.config.VerifyTimeout
	}
	tries := time.Duration(2)
	if t.reloadAction.Auto && t.app.runs() { // it may leave at HUP
		tries++
	}
	whole := linkerPatience + tries*(read+proof)
	if t.validatesAfter() {
		whole += t.config.HookTimeout
	}
	return whole
}

// disarm is the end of a hook. A trial of the published candidate goes on without it.
func (t *transition) disarm(failure error) {
	switch {
	case !t.exposure.published() && (t.phase == rendering || t.phase == validating):
		t.endStep()
	case failure == nil && t.exposure.published():
		t.inStep(linker.StepProbation)
	}
}

// excuse ends the trial of the candidate: if the app doesn't stop in time, the
// platform kills it and confit, and that says nothing of the candidate.
func (t *transition) excuse() {
	if t.candidate.Number != 0 && !t.excused {
		t.excused = true
		t.endTrial()
	}
}

// validatesAfter reports whether the hook reads the app's own paths. Then the
// candidate must be published first.
func (t *transition) validatesAfter() bool {
	return len(t.config.Validate) > 0 && !t.validatesBefore()
}

// validatesBefore reports whether the hook reads the candidate's directory. Then
// nothing is visible before it is valid.
func (t *transition) validatesBefore() bool {
	return slices.ContainsFunc(t.config.Validate, func(w string) bool { return strings.Contains(w, config.Placeholder) })
}

// run starts a hook that works on the generation in force.
func (t *transition) run(h namedHook) {
	about := t.candidate
	about.Generation = t.inForce()
	t.runOn(about, h)
}

// runOn starts a hook that is about a candidate.
func (t *transition) runOn(about linker.Candidate, h namedHook) {
	t.expired = false
	if t.exposure.published() {
		t.inStep(h.name)
	}
	t.do(runHook{h.name, h.command, about, t.hookVariables(about.Shared)})
}

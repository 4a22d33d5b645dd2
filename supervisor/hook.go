package supervisor

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"confit/config"
	"confit/linker"
	"confit/process"
)

// A hook that could not be started counts as one that failed. But a reload hook that
// never ran has not reloaded the app: nothing has to be undone there, and another try
// costs no service.
func (e hookStartFailed) occur(t *transition) {
	if t.phase == reloading && t.exposure == read {
		t.exposure = visible
	}
	t.hookOver(fmt.Errorf("%s: %w", t.ownHook().name, e.err), "")
}

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

// ownHook is the hook of this phase.
func (t *transition) ownHook() namedHook {
	if hook := t.phase.rule().hook; hook != nil {
		return hook(t)
	}
	return namedHook{} // one that was killed ends later
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

package try

import (
	"errors"
	"fmt"
	"strings"

	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/signals"
	"confit/supervisor/hooks"
)

// outcome is how a try ends.
type outcome struct {
	code int
	err  error // see [Try.Run]
}

// steps are those of a start, up to where the candidate would be published.
func (r *run) steps() outcome {
	if r.Config.Try == "" {
		if err := r.aside.Read(r.In); err != nil {
			return r.stageFailed(err)
		}
	}
	var c linker.Candidate
	err := signals.Undisturbed(func() (err error) { c, err = r.aside.Stage(); return err })
	r.aside.Plan(r.Out)
	if err != nil {
		return r.stageFailed(err)
	}
	done := []string{"staged"}
	for _, h := range []hooks.Hook{hooks.Render(r.Config), hooks.Validate(r.Config)} {
		if len(h.Command) == 0 {
			continue
		}
		if tail, err := r.runHook(h, c); err != nil {
			return r.failed(h.Name, err, tail)
		}
		if h.Name == "render" {
			done = append(done, "rendered")
			c, err = r.aside.Complete(c.Number, 0)
		} else {
			done = append(done, "validated")
			err = r.aside.Check(c.Number)
		}
		if err != nil {
			return r.failed(h.Name, err, "")
		}
	}
	if len(r.Config.Validate) == 0 {
		r.say("note: there is no validator: write one, and it is tried, too")
	}
	r.say("candidate passed: " + strings.Join(done, ", "))
	return outcome{}
}

// stageFailed is the end of a try that got no candidate.
func (r *run) stageFailed(err error) outcome {
	_, wrong := errors.AsType[*linker.WrongDocument](err)
	switch {
	case wrong:
		return outcome{process.ExitData, err}
	case errors.Is(err, linker.ErrNotTried):
		return outcome{process.ExitUsage, err}
	}
	return r.failed("stage", err, "")
}

// failed is the end at a step. What the system refuses is no verdict.
func (r *run) failed(step string, reason error, tail string) outcome {
	_, hook := errors.AsType[*hookError](reason)
	if !hook && !linker.IsInvalid(reason) {
		return outcome{process.ExitSystem, reason}
	}
	if hook && r.limit > 0 {
		r.say(fmt.Sprintf("note: a process of a hook had at most %d MiB of memory, what is left to it below the limit of the container", r.limit>>20))
	}
	v := &Verdict{fmt.Sprintf("candidate rejected step=%s reason=%q", step, reason), tail}
	r.say(v.text)
	return outcome{process.ExitRejected, v}
}

func (r *run) say(line string) { fmt.Fprintln(r.Out, line) }

// runHook runs a hook as the supervisor does before it publishes, and says why it failed.
func (r *run) runHook(h hooks.Hook, c linker.Candidate) (tail string, failure error) {
	if h.Name == "validate" {
		r.say("note: files outside {candidate} are the live ones")
	}
	command := hooks.CommandFor(r.App, h.Command, c, append(hooks.Hashes(c.Shared.Hex(), ""), config.TrialRunVariable+"=1"))
	command.MaxData = r.limit
	return r.execute(h, command)
}

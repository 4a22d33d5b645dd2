// Package try says what a start would make of other volumes, and shows nothing of it to the app: it
// has the supervisor stage them aside, render and validate, and says how that ended.
//
// It guarantees:
//   - No hook runs but render and validate, and each as at a start.
//   - The steps and their verdicts are those of a start.
//   - When it ends, also by KILL, no hook of it lives and no file of it is left.
//   - Beside another confit its hooks have no more memory than the container has left.
//
// It knows no paths: package linker knows files, process knows processes.
package try

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"slices"
	"time"

	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/signals"
	"confit/supervisor"
	"confit/supervisor/hooks"
)

// Try is what a try works with. All fields are needed.
type Try struct {
	Config *config.Config
	Linker linker.Config
	Inbox  signals.Inbox
	App    process.Command // hooks have its environment and directory
	In     io.Reader       // has the document, if that is tried
	Out    io.Writer       // takes the plan, what hooks print, and last the verdict
}

// Verdict is that of a configuration which was refused, as the last line of the output says it.
type Verdict struct{ *supervisor.Rejected }

func (v Verdict) Error() string {
	return fmt.Sprintf("candidate rejected step=%s reason=%q", v.Step, v.Reason)
}

// The memory that a try needs, in bytes: what has to be left below the limit of the container, and
// what of that no hook gets.
const (
	leastHeadroom = 64 << 20
	reserve       = 16 << 20
)

// Run tries the volumes until there is a verdict, somebody ends it by a signal, or nobody reads the
// output any more. It returns the exit code, and why: a [Verdict], which the output has, or what is
// wrong with the call or the system.
func (t *Try) Run(unread <-chan struct{}) (code int, err error) {
	if process.NeedsGuard() {
		return t.guard()
	}
	if h := hooks.Validate(t.Config); len(h.Command) > 0 && !h.ReadsCandidate() {
		return process.ExitData, h.Errorf(
			"can't be tried aside: it reads what the app has; write %s into it, the directory that it is to read instead", config.Placeholder)
	}
	if err := process.CanReap(); err != nil {
		return process.ExitSystem, err
	}
	process.PreferOOMKill()
	limit, err := t.memory()
	if err != nil {
		return process.ExitSystem, err
	}
	_ = process.BecomeSubreaper() // then nothing that a hook leaves behind is lost sight of
	aside, err := linker.OpenTry(t.Linker, t.Config.Try, t.In, t.Out)
	if err != nil {
		return t.verdict(process.ExitSystem, err, 0)
	}
	code, err = t.supervise(aside.Linker, limit, unread)
	endHooks()
	aside.End()
	aside.End() // a look that still goes on may have made a file meanwhile
	return t.verdict(code, err, limit)
}

// supervise does what a start does up to where the candidate would be published. Nobody is asked,
// and nobody told.
func (t *Try) supervise(l *linker.Linker, limit uint64, unread <-chan struct{}) (code int, err error) {
	c, app := *t.Config, t.App
	c.Gate, c.Report, c.LogJSON = nil, nil, false
	app.Env, app.MaxData = append(slices.Clip(app.Env), config.TrialRunVariable+"=1"), limit
	return supervisor.Supervisor{
		Config: &c, Linker: l, Former: &linker.Former{}, Inbox: t.Inbox, App: app, Unread: unread,
		Log: slog.New(slog.DiscardHandler), Stderr: t.Out,
	}.Run()
}

// verdict says how the try ended, and why. Each process of a hook had limit bytes of memory; 0:
// whatever there is.
func (t *Try) verdict(code int, reason error, limit uint64) (int, error) {
	rejected, isRejected := errors.AsType[*supervisor.Rejected](reason)
	switch {
	case errors.Is(reason, linker.ErrWrongDocument):
		if isRejected { // nothing was to start
			reason = rejected.Reason
		}
		return process.ExitData, reason
	case errors.Is(reason, linker.ErrNotTried):
		return process.ExitUsage, reason
	// what the system is short of for the moment
	case isRejected && process.StartCode(rejected.Reason) == process.ExitSystem:
		return process.ExitSystem, rejected.Reason
	case isRejected:
	case linker.IsInvalid(reason): // of mounts
		rejected = &supervisor.Rejected{Step: "stage", Reason: reason}
	case code != 0 || reason != nil:
		return code, reason
	}
	validates := len(t.Config.Validate) > 0
	if limit == 0 && os.Getpid() != 1 && (validates || len(t.Config.Render) > 0) {
		t.say("note: nothing bounds the memory of a hook: no limit of the container is to be seen")
	}
	if validates && (rejected == nil || rejected.Step == "validate") {
		t.say("note: files outside {candidate} are the live ones")
	}
	if rejected != nil {
		if limit > 0 && (rejected.Step == "render" || rejected.Step == "validate") {
			t.say("note: a process of a hook had at most %d MiB of memory, what is left to it below the limit of the container", limit>>20)
		}
		v := Verdict{rejected}
		t.say("%v", v)
		return process.ExitRejected, v
	}
	done := "staged"
	if len(t.Config.Render) > 0 {
		done += ", rendered"
	}
	if validates {
		done += ", validated"
	} else {
		t.say("note: there is no validator: write one, and it is tried, too")
	}
	t.say("candidate passed: %s", done)
	return 0, nil
}

func (t *Try) say(format string, args ...any) { fmt.Fprintf(t.Out, format+"\n", args...) }

// memory is how many bytes each process of a hook may have; 0: whatever there is, as where nobody
// else is there to be killed.
func (t *Try) memory() (uint64, error) {
	left, limited := process.Container.Headroom()
	switch {
	case !limited || os.Getpid() == 1:
		return 0, nil
	case left < leastHeadroom:
		return 0, fmt.Errorf(
			"cannot try anything here: %d MiB of memory are left below the limit of the container, and a try needs %d; try it in another container, or raise the limit", left>>20, leastHeadroom>>20)
	}
	return uint64(left - reserve), nil
}

// guard has the try done by a process of its own. Whichever of the two is killed, the other one
// ends the hooks and removes the files.
func (t *Try) guard() (code int, err error) {
	_ = process.BecomeSubreaper() // then what a killed try leaves is this one's
	pid, err := process.StartGuarded(t.App)
	if err != nil {
		return process.StartCode(err), err
	}
	family := process.NewFamily()
	for {
		select {
		case <-t.Inbox.Children:
			var end *process.Exit
			family.Reap(func(int) {}, func(x process.Exit) {
				if x.PID == pid {
					end = &x
				}
			})
			if end != nil {
				return t.guarded(end.Status), nil
			}
		case <-t.Inbox.Hints():
			if sig, ok := t.Inbox.Receive(); ok {
				_ = process.Kill(pid, sig)
			}
		}
	}
}

// guarded cleans up behind a killed try, and returns its exit code.
func (t *Try) guarded(end process.Status) (code int) {
	if end.Signal() != 0 {
		endHooks()
		// which sweeps its files
		if aside, err := linker.OpenTry(t.Linker, "", nil, nil); err == nil {
			aside.End()
		}
	}
	return end.ExitCode()
}

// endHooks ends what hooks have left. Who forks meanwhile may be missed once, and who was killed
// stays until it is reaped.
func endHooks() {
	family := process.NewFamily()
	by := time.Now().Add(time.Second)
	for family.Leftovers(0, true) && time.Now().Before(by) {
		family.EndLeftovers(0, signals.KILL, false, 0)
		family.Reap(func(int) {}, func(process.Exit) {})
		time.Sleep(time.Millisecond)
	}
}

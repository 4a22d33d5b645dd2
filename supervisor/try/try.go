// Package try says what a start would make of other volumes, and shows nothing of it to the app: it
// stages them aside, has them rendered and validated, and says how that ended.
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
	"fmt"
	"io"
	"os"

	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/signals"
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
type Verdict struct {
	text string
	tail string
}

func (v *Verdict) Error() string { return v.text }

// Output is the last that the hook printed, if it was a hook.
func (v *Verdict) Output() string { return v.tail }

// The memory that a try needs beside another confit, in bytes: what has to be left below the limit
// of the container, and what of that no hook gets.
const (
	leastHeadroom = 64 << 20
	reserve       = 16 << 20
)

// Run tries the volumes until there is a verdict, somebody ends it by a signal, or nobody reads the
// output any more. It returns the exit code, and why: a [*Verdict], which the output has, or what
// is wrong with the call or the system.
func (t *Try) Run(unread <-chan struct{}) (code int, err error) {
	if process.NeedsGuard() {
		return t.guard()
	}
	if h := hooks.Validate(t.Config); len(h.Command) > 0 && !h.ReadsCandidate() {
		return process.ExitData, h.Errorf("can't be tried aside: it reads what the app has; write %s into it, the directory that it is to read instead", config.Placeholder)
	}
	if err := process.CanReap(); err != nil {
		return process.ExitSystem, err
	}
	process.GoFirst()
	limit, err := t.memory()
	if err != nil {
		return process.ExitSystem, err
	}
	_ = process.BecomeSubreaper() // then nothing that a hook leaves behind is lost sight of
	aside, err := linker.OpenTry(t.Linker, t.Config.Try)
	r := &run{Try: t, aside: aside, limit: limit, family: process.NewFamily(), over: make(chan outcome, 1)}
	if err != nil {
		o := r.stageFailed(err)
		return o.code, o.err
	}
	go func() { r.over <- r.steps() }()
	o := r.loop(unread)
	r.end()
	return o.code, o.err
}

// memory is how many bytes each process of a hook may have; 0: whatever there is. Where this is the
// container's init nobody else is there to be killed.
func (t *Try) memory() (uint64, error) {
	left, limited := process.Headroom()
	switch {
	case !limited || os.Getpid() == 1:
		return 0, nil
	case left < leastHeadroom:
		return 0, fmt.Errorf("cannot try anything here: %d MiB of memory are left below the limit of the container, and a try needs %d; try it in another container, or raise the limit", left>>20, leastHeadroom>>20)
	}
	return uint64(left - reserve), nil
}

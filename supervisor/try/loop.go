package try

import (
	"fmt"
	"time"

	"confit/linker"
	"confit/process"
	"confit/signals"
	"confit/supervisor/hooks"
)

// run is one run of a Try. The steps have a goroutine of their own: they may wait for a volume, or
// for who reads the output. The loop waits for nobody.
type run struct {
	*Try
	aside  *linker.Try
	limit  uint64 // bytes of memory for each process of a hook; 0: none
	family *process.Family
	wanted chan *request // of the steps
	over   chan outcome  // of the steps
	timer  *time.Timer   // of the hook

	hook    *request // the one that runs
	pid     int      // 0 once it was reaped
	output  *process.Output
	spoken  chan string // the tail of what it printed; nil when that was taken, or nothing runs
	tail    string
	status  process.Status
	expired bool
}

// request asks for a hook.
type request struct {
	hooks.Hook
	command process.Command
	answer  chan hookEnd
}

// hookEnd is how it ended.
type hookEnd struct {
	failure error // nil: well
	tail    string
}

// hookError is the failure of a hook, which is a verdict.
type hookError struct{ error }

func (e *hookError) Unwrap() error { return e.error }

// loop goes on until the try is over.
func (r *run) loop(unread <-chan struct{}) outcome {
	for {
		select {
		case o := <-r.over:
			return o
		case r.hook = <-r.wanted:
			r.start()
		case <-r.Inbox.Children:
			r.reap()
		case r.tail = <-r.spoken:
			r.spoken = nil
			r.answer()
		case <-r.timer.C:
			r.expired = true
			r.family.SignalHook(r.pid, signals.KILL)
		case <-r.Inbox.Hints():
			if sig, ok := r.Inbox.Receive(); ok && ends(sig) {
				return outcome{code: 128 + int(sig)}
			}
		case <-unread:
			return outcome{code: 128 + int(signals.PIPE)}
		}
	}
}

// ends reports a signal that ends a try.
func ends(sig signals.Signal) bool {
	return sig == signals.TERM || sig == signals.INT || sig == signals.HUP || sig == signals.QUIT
}

// start starts the hook that is wanted. What the system is short of for the moment is no verdict.
func (r *run) start() {
	var err error
	if r.output, err = process.NewOutput(); err == nil {
		if r.pid, err = r.family.StartHook(r.hook.command, r.output.Writer()); err != nil {
			r.output.Close()
		}
	}
	if err != nil {
		failure := fmt.Errorf("%s: %w", r.hook.Name, err)
		if process.StartCode(err) != process.ExitSystem {
			failure = &hookError{failure}
		}
		r.hook.answer <- hookEnd{failure: failure}
		return
	}
	spoken := make(chan string, 1)
	r.spoken, r.expired = spoken, false
	r.output.Relay(r.Out, func(tail string) { spoken <- tail })
	r.timer.Reset(r.hook.Timeout)
	r.reap() // it may have ended before its pid was known
}

func (r *run) reap() {
	r.family.Reap(func(int) {}, func(x process.Exit) {
		if x.PID == r.pid {
			r.pid, r.status = 0, x.Status // the number may be somebody else's from now on
			r.timer.Stop()
			r.output.Ended()
			r.answer()
		}
	})
}

// answer tells the steps of the end, once it is whole: the hook was reaped, and its output has ended.
func (r *run) answer() {
	if r.pid != 0 || r.spoken != nil {
		return
	}
	end := hookEnd{tail: r.tail}
	if failure := r.hook.Failure(r.status, r.expired); failure != nil {
		end.failure = &hookError{failure}
	}
	r.hook.answer <- end
}

// end ends what hooks have left, and removes the files: twice, as a step that still runs may have
// made one meanwhile. From then on it writes below a directory that is gone.
func (r *run) end() {
	r.family.SignalHook(r.pid, signals.KILL)
	process.EndLeftovers(0, signals.KILL, false, 0)
	r.reap()
	r.aside.End()
	r.aside.End()
}

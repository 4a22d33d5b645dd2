package try

import (
	"fmt"
	"sync"
	"time"

	"confit/linker"
	"confit/process"
	"confit/signals"
	"confit/supervisor/hooks"
)

// run is one run of a Try. The steps have a goroutine of their own: they may wait for a volume, for a
// hook, or for who reads the output. The loop waits for nobody.
type run struct {
	*Try
	aside *linker.Try
	limit uint64       // bytes of memory for each process of a hook; 0: none
	over  chan outcome // of the steps

	mutex  sync.Mutex // of what follows; the end keeps it, so that no hook starts any more
	family *process.Family
	hook   int            // the pid of the hook that runs; 0 once it was reaped
	status process.Status // how the last one ended
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

// execute runs a hook to its end. What the system is short of for the moment is no verdict.
func (r *run) execute(h hooks.Hook, c process.Command) (tail string, failure error) {
	output, err := r.start(c)
	if err != nil {
		failure = fmt.Errorf("%s: %w", h.Name, err)
		if process.StartCode(err) != process.ExitSystem {
			failure = &hookError{failure}
		}
		return "", failure
	}
	spoken := make(chan string, 1)
	output.Relay(r.Out, func(tail string) { spoken <- tail })
	expired := r.await(h.Timeout)
	output.Ended()
	tail = <-spoken
	if failure = h.Failure(r.status, expired); failure != nil {
		failure = &hookError{failure}
	}
	return tail, failure
}

func (r *run) start(c process.Command) (output *process.Output, err error) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.hook, output, err = r.family.StartHook(c)
	return output, err
}

// await waits until the hook was reaped, and kills it at its deadline.
func (r *run) await(limit time.Duration) (expired bool) {
	deadline := time.After(limit)
	for !r.reap() {
		select {
		case <-r.Inbox.Children:
		case <-deadline:
			expired = true
			r.family.SignalHook(r.hook, signals.KILL)
		}
	}
	return expired
}

// reap reaps whoever has ended, and reports whether no hook is left.
func (r *run) reap() bool {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.family.Reap(func(int) {}, func(x process.Exit) {
		if x.PID == r.hook {
			r.hook, r.status = 0, x.Status // the number may be somebody else's from now on
		}
	})
	return r.hook == 0
}

// end ends what hooks have left, and removes the files: twice, as a step that still runs may have
// made one meanwhile. From then on it writes below a directory that is gone.
func (r *run) end() {
	r.mutex.Lock()
	r.family.SignalHook(r.hook, signals.KILL)
	process.EndLeftovers(0, signals.KILL, false, 0)
	r.aside.End()
	r.aside.End()
}

package supervisor

import (
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"time"

	"confit/config"
	"confit/linker"
	"confit/notify"
	"confit/process"
	"confit/signals"
	"confit/status"
)

// Supervisor is what the loop works with. All fields are needed.
type Supervisor struct {
	Config  *config.Config
	Linker  *linker.Linker
	Inbox   signals.Inbox
	App     process.Command // the app; its environment and directory are the hooks', too
	Log     *slog.Logger
	Stderr  io.Writer      // takes what hooks print
	Version string         // confit's, for the status
	Notify  *notify.Socket // where the app says how it is; nil without
}

// loop is one run of a Supervisor.
type loop struct {
	Supervisor
	state   state
	family  *process.Family
	hook    hook
	program string            // what the app runs, for its successor to be known by
	said    map[string]bool   // what was said of variables, by name
	ooms    int               // processes killed for want of memory, before the app was started
	jobs    chan func() event // for the linker, one after the other
	done    chan event        // what came of them
	spoken  chan string       // the tail of a hook's output, once that has ended
	next    []event           // answers to actions: handled before anything else
	status  reporter
}

// Run stages the first configuration, starts the app, and keeps both going
// until the app is gone or never came to be. It returns the exit code; the
// error says why when confit decided it and not the app.
func (s Supervisor) Run() (code int, err error) {
	l := &loop{
		Supervisor: s,
		family:     process.NewFamily(),
		jobs:       make(chan func() event, 8),
		done:       make(chan event, 8),
		spoken:     make(chan string, 1),
	}
	process.ReserveThreads()
	l.status.newest, l.status.written = make(chan *status.Status, 1), make(chan struct{})
	l.noteKeys()
	go work(l.jobs, l.done)
	go l.write()
	timer := time.NewTimer(0)
	accepted, err := s.Linker.Accepted()
	if err != nil {
		s.Log.Warn(notTrusted(accepted), "error", err)
	}
	state, actions := begin(s.Config, accepted, time.Now())
	l.become(state, actions)
	l.reap() // children that were there before confit subscribed to SIGCHLD
	for l.state.phase != done {
		l.report()
		rearm(timer, l.state.deadline)
		l.handle(l.wait(timer))
	}
	l.end()
	process.GiveBack()
	return l.state.exit.code, l.state.exit.reason
}

// notTrusted says what is left when a stored generation can't be believed.
func notTrusted(left linker.Accepted) string {
	if left.Number == 0 {
		return "stored generation not trusted: the app starts on what is mounted, or not at all"
	}
	return "stored generation not trusted: " + name(left.Generation) + " before it is the accepted one"
}

// lastWait is how long the end may wait for the last status and for the linker,
// which may hang on a volume. Both take a millisecond, but on a busy node they
// have to wait for their turn.
const lastWait = time.Second

// end has the last status written, and lets the linker remove its watches: a
// process that ends with some is held up by the kernel for a grace period of
// about ten milliseconds.
func (l *loop) end() {
	l.report()
	close(l.status.newest)
	removed := make(chan struct{})
	select {
	case l.jobs <- func() event { l.Linker.Close(); close(removed); return nil }:
	default: // it hangs
		close(removed)
	}
	over := time.After(lastWait)
	for _, ended := range []<-chan struct{}{removed, l.status.written} {
		select {
		case <-ended:
		case <-over:
			return
		}
	}
}

// rearm sets the one timer to the one deadline.
func rearm(timer *time.Timer, deadline time.Time) {
	timer.Stop()
	if !deadline.IsZero() {
		timer.Reset(time.Until(deadline))
	}
}

// wait blocks until something happens. It may be nothing that step needs to
// know: then the event is nil.
func (l *loop) wait(timer *time.Timer) event {
	select {
	case <-l.Inbox.Children:
		l.heed()
		process.FollowStop(l.state.app.pid, l.state.app.group)
		l.reap()
		return nil
	case <-l.Inbox.Hints():
		l.heed()
		return nil
	case <-l.Linker.Hints():
		return hinted{}
	case <-l.Linker.Opens():
		return opened{}
	case e := <-l.done:
		return e
	case <-l.messages():
		l.listen()
		return nil
	case tail := <-l.spoken:
		return l.hook.spoke(tail)
	case <-timer.C:
		return elapsed{}
	}
}

// handle takes an event and all the events that follow from it at once.
func (l *loop) handle(e event) {
	if e != nil {
		l.next = append(l.next, e)
	}
	for len(l.next) > 0 {
		e, l.next = l.next[0], l.next[1:]
		l.become(step(l.Config, l.state, time.Now(), e))
	}
}

// maxSignals is how many signals are taken at once: a flood of them must not
// keep anything else from being handled.
const maxSignals = 256

// heed takes the signals that are there. When a death is reported they come
// first: a TERM that came before the app's end in a restart is no reason to
// start it again.
func (l *loop) heed() {
	for range maxSignals {
		sig, ok := l.Inbox.Receive()
		if !ok {
			return
		}
		l.handle(signalled{sig})
	}
}

func (l *loop) become(s state, actions []action) {
	l.state = s
	for _, a := range actions {
		if answer := l.perform(a); answer != nil {
			l.next = append(l.next, answer)
		}
	}
}

// reap collects all children that have ended. The end of one is handled before
// the next is reaped: with --adopt that may be the one that became the app just
// now. What it said is heard before it is reaped, as long as it is known who
// that was.
func (l *loop) reap() {
	l.family.Reap(l.listen, func(x process.Exit) { l.handle(l.ended(x)) })
}

func (l *loop) ended(x process.Exit) event {
	switch x.PID {
	case l.state.app.pid:
		return l.exitOf(x.Status)
	case l.hook.pid:
		return l.hook.ended(x.Status)
	}
	return reaped{}
}

// work does the linker's jobs, so that no slow disk keeps a signal from the
// app. A panic in one of them is an event, not the end of PID 1.
func work(jobs <-chan func() event, done chan<- event) {
	for job := range jobs {
		if e := guarded(job); e != nil {
			done <- e
		}
	}
}

func guarded(job func() event) (e event) {
	err := guard(func() error { e = job(); return nil })
	if err != nil {
		return crashed{err}
	}
	return e
}

// guard makes an error of a panic.
func guard(do func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return do()
}

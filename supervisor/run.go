package supervisor

import (
	"fmt"
	"time"

	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/process/entrypoint"
	"confit/signals"
	"confit/supervisor/slots"
	"confit/supervisor/statusfile"
)

// Run stages the first configuration, starts the app, and keeps both going until the app has
// exited, or can't be started. It returns the exit code. If confit decided on it, and not the app,
// the error says why.
func (s Supervisor) Run() (code int, err error) {
	lacks := s.lackedFallback()
	if lacks != nil {
		s.Log.Warn("a new container has nothing to fall back on", "error", lacks)
	}
	code, err = s.run()
	if r, ok := err.(*Rejected); ok && lacks != nil {
		r.Reason = fmt.Errorf("%w; %w", r.Reason, lacks)
	}
	return code, err
}

func (s Supervisor) run() (code int, err error) {
	if err := process.CanReap(); err != nil {
		return process.ExitSystem, err
	}
	if !process.CanLook() { // nobody would ever see the app begin
		s.Config = new(*s.Config)
		s.Config.EntrypointTimeout = 0
	}
	l := &loop{
		Supervisor: s,
		family:     process.NewFamily(),
		ooms:       process.Container.CountOOMKills(time.Now()),
		worker:     slots.NewExchange[job, event](),
		heard:      s.Linker.Newest(),
		entry:      entry{proc: entrypoint.NewProc("/proc", s.App.Dir, s.App.Path())},
	}
	if l.Notify != nil {
		l.Linker.Offer(l.Notify)
		l.messages = l.Notify.Hints()
	}
	l.status = statusfile.New(l.Linker.WriteStatus, l.Log)
	closed := make(chan struct{})
	go l.work(closed)
	timer := time.NewTimer(0)
	s.warnUnread()
	state, actions := begin(s.Config, s.Former, s.Linker.HasFallback(), time.Now())
	l.become(state, actions)
	l.reap() // children that were there before confit subscribed to SIGCHLD
	for l.state.phase != done {
		l.lookAround(time.Now())
		l.takeUp()
		timer.Stop()
		if next := earliest(l.wakes, l.entry.next, l.dueDelivery(), l.right.next); !next.IsZero() {
			timer.Reset(time.Until(next))
		}
		l.handle(l.wait(timer))
	}
	l.end(closed)
	process.TakeTerminal()
	return l.state.exit.Code, l.state.exit.Reason
}

// lookAround looks at what tells of nothing by itself.
func (l *loop) lookAround(now time.Time) {
	l.ooms.Look(now)
	l.lookAtEntry(now)
	if len(l.on) > 0 {
		l.deliverLate(now)
	}
	if !l.right.next.IsZero() {
		l.lookAgain(now)
	}
	if len(l.next) > 0 {
		l.handle(nil)
	}
}

// takeUp does once what a state asks for.
func (l *loop) takeUp() {
	s := l.state
	if s == l.taken {
		return
	}
	l.taken, l.wakes = s, earliest(s.timers()...)
	fleeting := s.isFleeting(l.Config)
	if !fleeting || !s.stalled.IsZero() {
		l.showStatus()
	}
	// after the app's reload, which a look at the links files would hold up
	if l.looks && !fleeting && !s.neverStarted() {
		l.looks = false
		l.worker.Put(orderOf(lookAtLinks{s.links}))
	}
}

// warnUnread says which notes of the containers before this one can't be read, or not be trusted.
func (s Supervisor) warnUnread() {
	if err := s.Former.Untrusted; err != nil {
		s.Log.Warn(notTrusted(s.Former.Ladder.InForce()), "error", err)
	}
	if err := s.Former.Unread; err != nil {
		s.Log.Warn("this container notes nothing, and leaves all that is noted to the next one",
			"error", err, "todo", unreadTodo)
	}
}

// lackedFallback is why the fallback that is named can't help; nil: it may, or none is named, or a
// try doesn't look at it.
func (s Supervisor) lackedFallback() error {
	dir := s.Config.Linker(nil, 0).Fallback
	if dir != "" && s.Config.Mode != config.Try && !s.Linker.HasFallback() {
		return fmt.Errorf("%w: %q", linker.ErrNoFallback, dir)
	}
	return nil
}

const unreadTodo = "restart the container once the state directory can be read; with a gate no edit is taken until then"

// notTrusted says what is left to start on when a stored generation can't be trusted.
func notTrusted(left *linker.Rung) string {
	if left.Number == 0 {
		return "stored generation not trusted: the app starts on what is mounted, or not at all"
	}
	return "stored generation not trusted: " + name(left.Generation) + " is the accepted one"
}

// lastWait is how long the end waits for the last status and for the linker, which may hang on a
// volume. Both take a millisecond, and more on a busy node.
const lastWait = time.Second

// end has the last status written and the linker's watches removed.
func (l *loop) end(closed <-chan struct{}) {
	l.showStatus()
	written := l.status.Close()
	l.worker.Close()
	over := time.After(lastWait)
	for _, ended := range []<-chan struct{}{closed, written} {
		select {
		case <-ended:
		case <-over:
			return
		}
	}
}

// wait blocks until something happens. The event is nil when step needn't know of it.
func (l *loop) wait(timer *time.Timer) event {
	hints := l.Linker.Hints()
	if l.state.phase == staging { // a look may still see what they are of
		hints = nil
	}
	select {
	case <-l.Inbox.Children:
		l.heed()
		process.GiveTerminal(l.state.app.PID, l.state.app.Group)
		l.reap()
		return nil
	case <-l.Inbox.Hints():
		l.heed()
		return nil
	case <-l.Unread:
		return signalled{signals.PIPE}
	case <-hints:
		return hinted{}
	case <-l.Linker.Emptied():
		return emptied{}
	case <-l.Linker.Opens():
		return opened{}
	case <-l.worker.Answered:
		return l.answer()
	case <-l.messages:
		l.listen()
		return nil
	case e := <-l.hook.Over():
		return hookEnded(e)
	case e := <-l.teller.Over():
		return reportEnded{status: e.Status}
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
		now := time.Now()
		s, actions := step(l.Config, l.state, now, e)
		l.tell(now, e, s)
		l.become(s, actions)
	}
}

// maxSignals is how many signals are taken at once: a flood of them must not delay anything else
// for long.
const maxSignals = 256

// heed takes the signals that are there. They come before the children that ended: if TERM came
// before the app's exit in a restart, the app isn't started again.
func (l *loop) heed() {
	for range maxSignals {
		if !l.heedOne() {
			return
		}
	}
}

// heedOne takes one signal, and reports whether there was one.
func (l *loop) heedOne() bool {
	sig, ok := l.Inbox.Receive()
	if ok {
		l.lookBeforeSignal(sig)
		l.handle(signalled{sig})
	}
	return ok
}

// lookBeforeSignal looks at an app once more that a signal may end: what was seen may have been on
// its way to a script.
func (l *loop) lookBeforeSignal(s signals.Signal) {
	if (s == signals.HUP || signals.MayStop(s)) && l.Config.EntrypointTimeout > 0 && l.state.app.Runs() {
		l.handle(l.look(l.state.app.PID))
	}
}

func (l *loop) become(s *state, actions []action) {
	l.state = s
	for _, a := range actions {
		if answer := a.perform(l); answer != nil {
			l.next = append(l.next, answer)
		}
	}
	l.worker.Put(l.orders...)
	l.orders = nil
}

// reap collects all children that have ended, and handles the end of each before it reaps the next:
// with --adopt, that one may have become the app just now. It hears a child's messages before it
// reaps the child, while the sender is known. One event tells of all orphans.
func (l *loop) reap() {
	var orphans reaped
	l.family.Reap(l.lookAt, func(x process.Exit) {
		switch {
		case x.PID == l.state.app.PID:
			l.handle(l.exitOf(x.Status))
		case !x.Hook: // whose output may still come
			orphans.number++
		}
	})
	if orphans.number > 0 {
		l.handle(orphans)
	}
}

// lookAt learns of a child that has ended what nobody knows once it is reaped. Where many end at
// once, a signal waits for one of them, not for all.
func (l *loop) lookAt(pid int) {
	l.heedOne()
	l.listen()
	if pid == l.state.app.PID {
		l.lookAtEnd()
		l.noteUser(pid)
	}
}

// maxMessages is how many messages are taken at once: an app that floods its socket must not delay
// the signals for it.
const maxMessages = 64

// listen takes the messages that are there, and believes those of the app, its group and its
// descendants, as systemd does with NotifyAccess=all.
func (l *loop) listen() {
	if l.Notify == nil {
		return
	}
	for range maxMessages {
		m, ok := l.Notify.Receive()
		if !ok {
			return
		}
		if process.Belongs(m.PID, l.state.app.PID, l.state.app.Group) {
			l.next = append(l.next, heard{m, m.PID == l.state.app.PID || m.PID == l.entry.found.PID})
		}
	}
}

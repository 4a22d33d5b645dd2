package supervisor

import (
	"slices"
	"time"

	"confit/process"
	"confit/process/entrypoint"
	"confit/signals"
	"confit/supervisor/app"
)

// deliver sends a signal at once if the app takes it.
func (l *loop) deliver(a app.Deliver) event {
	now := time.Now()
	d := delivery{Deliver: a, next: now.Add(app.LookAgain), by: now.Add(app.HandlerWait)}
	if l.takes(&d) {
		return l.signal(d.PID, d.Signal)
	}
	l.on = append(l.on, d)
	return nil
}

// dueDelivery is when the app is looked at next; zero: nobody has to.
func (l *loop) dueDelivery() time.Time {
	if len(l.on) == 0 {
		return noDeadline
	}
	return l.on[0].next
}

// deliverLate sends what the app takes by now, and gives up what has waited for long.
func (l *loop) deliverLate(now time.Time) {
	left := l.on[:0]
	for _, d := range l.on {
		switch {
		case d.PID != l.state.app.PID: // it has ended
		case now.Before(d.next):
			left = append(left, d)
		case l.takes(&d):
			l.send(d.PID, d.Signal)
		case now.Before(d.by):
			d.next = now.Add(app.LookAgain)
			left = append(left, d)
		default:
			l.giveUp(d)
		}
	}
	l.on = left
}

func (l *loop) send(pid int, s signals.Signal) {
	if e := l.signal(pid, s); e != nil {
		l.next = append(l.next, e)
	}
}

// giveUp ends a delivery.
func (l *loop) giveUp(d delivery) {
	keys := []any{"signal", signals.Name(d.Signal), "pid", d.PID, "program", process.Program(d.PID)}
	switch d.Late {
	case 0:
		l.Log.Info("signal dropped: the app has no handler for it", keys...)
		return
	case d.Signal:
		if l.state.app.Phase == app.Stopping {
			l.Log.Warn("app drops the stop signal", append(keys, "todo", "see whether it needs --signal-group")...)
		}
	default:
		l.Log.Warn("app has not taken the stop signal: it gets another one", append(keys,
			"late", signals.Name(d.Late), "todo",
			"see whether --stop-signal is the app's, and whether it needs --signal-group")...)
	}
	l.send(d.PID, d.Late)
}

// takes reports that a signal will not be lost: its receiver catches it, blocks it or ends by it,
// or can't be seen. Who forks blocks all signals for a moment, so two looks in a row must find
// that.
func (l *loop) takes(d *delivery) bool {
	before := d.blocked
	d.blocked = false
	receiver, program := process.Receiver(d.PID)
	receivers := []int{receiver}
	switch {
	case !process.CanLook():
		return true
	case entrypoint.IsInit(program): // its child, which isn't there yet, would have no handler
		return false
	}
	if l.Config.SignalGroup {
		receivers = append(receivers, process.Members(l.state.app.Group)...)
	}
	return slices.ContainsFunc(receivers, func(pid int) bool { return l.receives(pid, d) }) || before && d.blocked
}

func (l *loop) receives(pid int, d *delivery) bool {
	switch signals.DispositionOf(pid, d.Signal) {
	case signals.Caught:
		return l.catches(pid, d)
	case signals.Default:
		return d.Late != 0 && signals.EndsByDefault(d.Signal)
	case signals.Blocked:
		d.blocked = true
		return false
	case signals.Ignored:
		return false
	}
	return true
}

// catches reports that a handler is one for this signal. Shells catch INT for themselves, and do
// nothing at it while a child runs: only a trap of the text counts. What else bash catches has it
// end, by way of a trap for EXIT: that is a stop, but no HUP for a log.
func (l *loop) catches(pid int, d *delivery) bool {
	found := l.entry.proc.At(pid)
	return !found.Shell || found.Traps(signals.Name(d.Signal), int(d.Signal)) || d.Late != 0 && d.Signal != signals.INT
}

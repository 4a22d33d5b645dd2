package supervisor

import (
	"io"
	"log/slog"
	"time"

	"confit/config"
	"confit/linker"
	"confit/notify"
	"confit/process"
	"confit/process/entrypoint"
	"confit/signals"
	"confit/supervisor/app"
	"confit/supervisor/slots"
	"confit/supervisor/statusfile"
)

// loop is one run of a Supervisor.
type loop struct {
	Supervisor
	state   *state
	taken   *state    // the last that was taken up
	wakes   time.Time // when something is due in it; zero: never
	family  *process.Family
	hook    *process.Hook
	coming  *runHook                    // waits for the linker; nil: none does
	teller  *process.Hook               // the report hook: it runs beside the other
	program string                      // what the app runs: its successor runs the same
	said    []string                    // variables of which the log has said that they end in a newline
	ooms    process.OOMKills            // since the app was started
	worker  *slots.Exchange[job, event] // the goroutine that owns the linker
	orders  []order                     // for it, of the event that is handled
	heard   int                         // the newest generation that step knows
	looks   bool                        // the volumes are looked at, and the links files are next
	next    []event                     // answers to actions: they are handled first
	status  *statusfile.File
	entry   entry
	right   right
	// tells of messages of the app; nil: it has no socket
	messages <-chan struct{}
	on       []delivery // signals that the app doesn't take yet
}

// entry watches the app at its entrypoint.
type entry struct {
	proc  *entrypoint.Proc
	watch entrypoint.Watch
	pid   int             // of the app that is watched; 0: none is
	next  time.Time       // when it is looked at; zero: nobody has to
	found entrypoint.Look // the last one
	told  app.Sight       // what step knows
}

// right is the wait for the right to read what was just mounted.
type right struct {
	job     job                // that step waits for
	next    time.Time          // when the volumes are looked at again; zero: they aren't
	by      time.Time          // when the wait is over; zero: there is none
	refused linker.Fingerprint // of the volumes for which it was over
}

// delivery is a signal on its way to an app that doesn't take it yet, as it has no handler so far.
type delivery struct {
	app.Deliver
	next, by time.Time
	blocked  bool // the last look found that
}

// Supervisor is what the loop works with. All fields but the last two are needed.
type Supervisor struct {
	Config  *config.Config
	Linker  *linker.Linker
	Former  *linker.Former // what it has taken up
	Inbox   signals.Inbox
	App     process.Command // the app; hooks have its environment and directory, too
	Log     *slog.Logger
	Stderr  io.Writer       // takes what hooks print
	Version string          // confit's, for the status
	Notify  *notify.Socket  // where the app says how it is; nil: nowhere
	Unread  <-chan struct{} // of a try: nobody reads any more what it says
}

// order is a job for the linker, and where it waits.
type order = slots.Order[job]

func orderOf(j job) order {
	o := order{Job: j}
	switch j := j.(type) {
	case has:
		o.Kind = slots.Names
	case discard:
		o.Kind = slots.Discard
	case record:
		o.Kind, o.Awaited = slots.Record, j.awaited
	case writeNote:
		o.Kind = slots.Note
	case noteUser:
		o.Kind = slots.User
	case unwatchOpens:
		o.Kind = slots.Unwatch
	case collect:
		o.Kind = slots.Collect
	case repair:
		o.Kind, o.Awaited = slots.Repair, j.awaited
		if j.awaited {
			o.Kind = slots.Transaction
		}
	case compare, glance:
		o.Kind = slots.Compare
	case lookAtLinks:
		o.Kind = slots.Links
	default:
		o.Kind, o.Awaited = slots.Transaction, true
	}
	return o
}

// order gives the linker a job, when the event is over. What step doesn't know yet isn't collected.
func (l *loop) order(j job) {
	if c, ok := j.(collect); ok {
		c.newest = l.heard
		j = c
	}
	o := orderOf(j)
	if o.Awaited {
		l.right = right{job: j, refused: l.right.refused}
	}
	l.orders = append(l.orders, o)
}

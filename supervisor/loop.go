package supervisor

import (
	"io"
	"log/slog"

	"confit/config"
	"confit/linker"
	"confit/notify"
	"confit/process"
	"confit/signals"
	"confit/supervisor/statusfile"
)

// loop is one run of a Supervisor.
type loop struct {
	Supervisor
	state   *state
	family  *process.Family
	hook    *process.Hook
	teller  *process.Hook // the report hook: it runs beside the other
	program string        // what the app runs: its successor runs the same
	said    []string      // variables of which the log has said that they end in a newline
	ooms    int           // processes killed for want of memory before the app was started
	jobs    chan job      // for the linker, one after the other
	closed  chan struct{} // closed after the linker
	looks   bool          // the volumes are looked at, and the links files are next
	done    chan event    // what came of them
	next    []event       // answers to actions: they are handled first
	status  *statusfile.File
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

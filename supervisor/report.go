package supervisor

import (
	"time"

	"confit/status"
)

// reporter is what was last done about status.json.
type reporter struct {
	last    gist   // what it says
	busy    bool   // the linker has not written it yet
	refused string // why it could not be written, once that was said
}

// gist is what makes a status another one: all that goes into it, comparable.
type gist struct {
	any      bool // there is one at all
	phase    phase
	seen     record
	trouble  string
	degraded string
	deaf     bool
	retry    time.Time
}

func (s *state) gist() gist {
	return gist{true, s.phase, s.seen, s.trouble, s.degraded, s.deaf, s.retry.at}
}

// reported is the linker's answer to a status. It is none of step's business.
type reported struct{ err error }

func (reported) event() {}

// fleeting phases pass by themselves within moments, so that they are left out
// of the status: the app is told first.
func (p phase) fleeting() bool { return p == staging || p == publishing || p == starting }

// report has status.json replaced when there is something new to say. A status
// that comes while another is being written waits for that.
func (l *loop) report() {
	now := l.state.gist()
	if now == l.status.last || l.status.busy || now.phase.fleeting() {
		return
	}
	l.status.last, l.status.busy = now, true
	s := l.snapshot()
	l.jobs <- func() event { return reported{l.write(s)} }
}

// snapshot is the status as the loop knows it.
func (l *loop) snapshot() *status.Status {
	s := l.state.status(l.Config)
	s.Confit, s.Updated = l.Version, status.At(time.Now())
	return s
}

// write adds what the linker knows, and is called where the linker is.
func (l *loop) write(s *status.Status) error {
	s.Keys = l.Linker.Keys()
	for _, v := range l.Linker.Volumes() {
		s.Volumes = append(s.Volumes, status.Volume(v))
	}
	return l.Linker.WriteStatus(s.Encode())
}

// reported says why a status could not be written, once.
func (l *loop) reported(err error) {
	l.status.busy = false
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != l.status.refused {
		l.Log.Warn("status not written", "error", text)
	}
	l.status.refused = text
}

package supervisor

import "confit/process"

// maxMessages is how many messages are taken at once: an app that floods its
// socket must not keep a signal from being forwarded.
const maxMessages = 64

// messages is never ready without a socket.
func (l *loop) messages() <-chan struct{} {
	if l.Notify == nil {
		return nil
	}
	return l.Notify.Hints()
}

// listen takes what was said, and believes it when it comes from the app: its
// group or its descendants, systemd's NotifyAccess=all.
func (l *loop) listen() {
	if l.Notify == nil {
		return
	}
	for range maxMessages {
		m, ok := l.Notify.Receive()
		if !ok {
			return
		}
		if process.Belongs(m.PID, l.state.app.pid, l.state.app.group) {
			l.next = append(l.next, heard{m})
		}
	}
}

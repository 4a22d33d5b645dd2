package supervisor

import "confit/process"

// maxMessages is how many messages are taken at once: an app that floods its
// socket must not delay the signals for it.
const maxMessages = 64

// messages tells of messages. Without a socket it never does.
func (l *loop) messages() <-chan struct{} {
	if l.Notify == nil {
		return nil
	}
	return l.Notify.Hints()
}

// listen takes the messages that are there, and believes those of the app, its
// group and its descendants, as systemd does with NotifyAccess=all.
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
			l.next = append(l.next, heard{m})
		}
	}
}

package notify

import (
	"strconv"
	"strings"
)

// State is what a service says of itself.
type State int

// The states of sd_notify(3) on which confit acts.
const (
	Unsaid    State = iota // the message is about something else
	Ready                  // the service has started, or has reloaded
	Reloading              // Ready follows
)

// Message is the part of a datagram that confit uses.
type Message struct {
	PID       int // of the sender; 0 if it is in another PID namespace
	State     State
	HasStatus bool
	Status    string // one line for people; "" takes the last one back

	ExtendMicroseconds uint64 // how long the sender still needs: at most a day; 0: it doesn't say
}

// parse reads a datagram, with an assignment on each line. It leaves out what is for service
// managers. As in systemd the last state wins, and one zero byte may follow the text.
func parse(text string) Message {
	m := Message{}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\x00"), "\n") {
		name, value, assigns := strings.Cut(line, "=")
		switch {
		case line == "READY=1":
			m.State = Ready
		case line == "RELOADING=1":
			m.State = Reloading
		case name == "STATUS" && assigns:
			m.Status, m.HasStatus = printable(value), true
		case name == "EXTEND_TIMEOUT_USEC" && assigns:
			m.ExtendMicroseconds, _ = strconv.ParseUint(value, 10, 64)
			m.ExtendMicroseconds = min(m.ExtendMicroseconds, maxExtend)
		}
	}
	return m
}

// maxExtend bounds EXTEND_TIMEOUT_USEC: a day, in microseconds.
const maxExtend = 24 * 60 * 60 * 1e6

// maxStatus bounds a status, in bytes.
const maxStatus = 256

// printable turns any bytes into one line of valid UTF-8 without control characters, fit for
// terminals and for JSON.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, "?"))
	return strings.ToValidUTF8(s[:min(len(s), maxStatus)], "") // the end may be a part of a character
}

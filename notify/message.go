package notify

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// State is what a service says of itself.
type State int

// The states of sd_notify(3) that confit acts on.
const (
	Unsaid    State = iota // the message is about something else
	Ready                  // started, or done with reloading
	Reloading              // Ready follows
	Stopping
)

// states are the lines that tell a state.
var states = map[string]State{"READY=1": Ready, "RELOADING=1": Reloading, "STOPPING=1": Stopping}

// Message is what confit uses of one datagram.
type Message struct {
	PID       int // of the sender, as seen by confit; 0 when it is from another PID namespace
	State     State
	HasStatus bool
	Status    string // one line for people; empty when there is nothing to say any more

	ExtendMicroseconds uint64 // how much longer than now what is under way may take; 0: it doesn't say, at most a day
}

// parse reads a datagram: assignments on lines of their own. What isn't known
// is left out: most of the protocol is between a service and a service manager.
// As in systemd the last state wins, and one zero byte may follow the text.
func parse(text string) Message {
	m := Message{}
	for line := range strings.SplitSeq(strings.TrimSuffix(text, "\x00"), "\n") {
		if status, ok := strings.CutPrefix(line, "STATUS="); ok {
			m.Status, m.HasStatus = printable(status), true
		} else if state, ok := states[line]; ok {
			m.State = state
		} else if extend, ok := strings.CutPrefix(line, "EXTEND_TIMEOUT_USEC="); ok {
			m.ExtendMicroseconds, _ = strconv.ParseUint(extend, 10, 64)
			m.ExtendMicroseconds = min(m.ExtendMicroseconds, maxExtend)
		}
	}
	return m
}

// maxExtend bounds EXTEND_TIMEOUT_USEC: a day, in microseconds.
const maxExtend = 24 * 60 * 60 * 1e6

// longestStatus bounds a status, in bytes: it is one line among others.
const longestStatus = 256

// printable makes a line of any bytes: valid UTF-8 without control characters,
// as it goes to terminals and into JSON.
func printable(s string) string {
	s = strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return ' '
	}, strings.ToValidUTF8(s, "?"))
	if len(s) <= longestStatus {
		return s
	}
	end := longestStatus
	for !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end]
}

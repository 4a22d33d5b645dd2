package config

import (
	"fmt"
	"strings"

	"confit/internal/near"
	"confit/signals"
)

// Kind is a kind of reload. Of all that the changed keys ask for, confit does the
// strongest.
type Kind int

// The kinds, the weakest first.
const (
	None    Kind = iota // publish only
	Touch               // make new links, for an app that watches its files by itself
	Signal              // send a signal
	Exec                // run a hook
	Restart             // stop the app and start it again
)

// Action is how the app is reloaded with a new generation.
type Action struct {
	Kind    Kind
	Auto    bool           // the Signal HUP becomes a Restart when the app wouldn't take it
	Signal  signals.Signal // for Signal
	Command []string       // for Exec
}

// ParseAction reads auto, touch, signal:NAME, restart, exec:CMD or none.
func ParseAction(s string) (Action, error) {
	verb, rest, _ := strings.Cut(s, ":")
	switch {
	case s == "auto":
		return Action{Kind: Signal, Auto: true, Signal: signals.HUP}, nil
	case s == "restart":
		return Action{Kind: Restart}, nil
	case s == "touch":
		return Action{Kind: Touch}, nil
	case s == "none":
		return Action{Kind: None}, nil
	case verb == "signal" && rest != "":
		sig, err := parseCaught(rest)
		return Action{Kind: Signal, Signal: sig}, err
	case verb == "exec" && strings.TrimSpace(rest) != "":
		command, err := splitHook(rest)
		return Action{Kind: Exec, Command: command}, err
	}
	return Action{}, fmt.Errorf("%q is not a way to reload: write %s", s, meantAction(s))
}

var actionWords = []string{"auto", "touch", "restart", "none"}

// meantAction is what somebody probably meant who wrote just a signal, a command, or
// a blank in place of the colon.
func meantAction(s string) string {
	first, rest, several := strings.Cut(s, " ")
	sig, err := signals.Parse(s)
	switch {
	case err == nil:
		return "signal:" + signals.Name(sig)
	case strings.Contains(first, ":"):
	case several && (first == "signal" || first == "exec"):
		return first + ":" + rest
	case several, strings.HasPrefix(s, "/"):
		return "exec:" + s
	case near.Of(s, actionWords) != "":
		return near.Of(s, actionWords)
	}
	return "auto, touch, signal:NAME, restart, exec:COMMAND or none"
}

// String writes the action as ParseAction reads it.
func (a Action) String() string {
	switch {
	case a.Auto:
		return "auto"
	case a.Kind == Signal:
		return "signal:" + signals.Name(a.Signal)
	case a.Kind == Exec:
		return "exec:" + JoinWords(a.Command)
	case a.Kind == Restart:
		return "restart"
	case a.Kind == Touch:
		return "touch"
	}
	return "none"
}

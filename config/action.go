package config

import (
	"fmt"
	"strings"

	"confit/signals"
)

// Kind is a kind of reload. confit does the strongest of what the changed keys ask for.
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

// plainActions are the actions of one word.
var plainActions = map[string]Action{
	"auto":    {Kind: Signal, Auto: true, Signal: signals.HUP},
	"touch":   {Kind: Touch},
	"restart": {Kind: Restart},
	"none":    {Kind: None},
}

// ParseAction reads auto, touch, signal:NAME, restart, exec:CMD or none.
func ParseAction(s string) (Action, error) {
	if a, plain := plainActions[s]; plain {
		return a, nil
	}
	verb, rest, _ := strings.Cut(s, ":")
	switch {
	case verb == "signal" && rest != "":
		sig, err := parseCaught(rest)
		return Action{Kind: Signal, Signal: sig}, err
	case verb == "exec" && strings.TrimSpace(rest) != "":
		command, err := splitCommand(rest)
		return Action{Kind: Exec, Command: command}, err
	}
	if sig, err := parseCaught(s); err == nil {
		return Action{}, fmt.Errorf("%q is not a way to reload: did you mean signal:%s?", s, signals.Name(sig))
	}
	return Action{}, fmt.Errorf(
		"%q is not a way to reload: write auto, touch, signal:NAME, restart, exec:COMMAND or none", s)
}

// String writes the action as ParseAction reads it.
func (a Action) String() string {
	switch {
	case a.Kind == Signal && !a.Auto:
		return "signal:" + signals.Name(a.Signal)
	case a.Kind == Exec:
		return "exec:" + JoinWords(a.Command)
	}
	return [...]string{None: "none", Touch: "touch", Signal: "auto", Restart: "restart"}[a.Kind]
}

// ActionOf is what a change of a key of this link asks for.
func (c *Config) ActionOf(l *Link) Action {
	if l.Reload != nil {
		return *l.Reload
	}
	return c.Reload
}

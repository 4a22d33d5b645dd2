package config

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"confit/signals"
)

// value is the part of a Config that one setting is about.
type value interface {
	read(text string) error
	show() string // as read takes it; "": nothing is set, or it isn't how confit works
}

// command is the words of a hook. An empty one removes that of a weaker source.
type command struct {
	words *[]string
	split func(string) ([]string, error)
}

func (v *command) read(text string) (err error) {
	*v.words = nil
	if list, err := splitWords(text); text == "" || err == nil && len(list) == 1 && list[0] == "" {
		return nil
	}
	*v.words, err = v.split(text)
	return err
}

func (v *command) show() string { return JoinWords(*v.words) }

// action is how the app is reloaded. Quotes around the whole are removed.
type action Action

func (v *action) read(text string) (err error) {
	if list, err := splitWords(text); err == nil && len(list) == 1 && strings.ContainsAny(text[:1], `'"`) {
		text = list[0]
	}
	*(*Action)(v), err = ParseAction(text)
	return err
}

func (v *action) show() string { return Action(*v).String() }

// signalName is a signal.
type signalName signals.Signal

func (v *signalName) read(text string) (err error) {
	*(*signals.Signal)(v), err = parseCaught(text)
	return err
}

// parseCaught reads a signal that a process can do something about.
func parseCaught(text string) (signals.Signal, error) {
	sig, err := signals.Parse(text)
	if err == nil && !signals.Catchable(sig) {
		return 0, fmt.Errorf("nobody can catch %q: write another signal, such as TERM", text)
	}
	return sig, err
}

func (v *signalName) show() string { return signals.Name(signals.Signal(*v)) }

// signalMap is FROM:TO, or FROM: to drop a signal, or several of them with commas in
// between.
type signalMap struct{ c *Config }

func (v *signalMap) read(text string) error {
	return pairs(text, func(from, to string) error {
		f, err := parseCaught(from)
		if err != nil {
			return err
		}
		t := signals.Signal(0)
		if to != "" {
			if t, err = signals.Parse(to); err != nil {
				return err
			}
		}
		if v.c.MapSignal == nil {
			v.c.MapSignal = map[signals.Signal]signals.Signal{}
		}
		v.c.MapSignal[f] = t
		return nil
	})
}

func (v *signalMap) show() string {
	var list []string
	for from, to := range v.c.MapSignal {
		pair := signals.Name(from) + ":"
		if to != 0 { // 0 drops it
			pair += signals.Name(to)
		}
		list = append(list, pair)
	}
	return showPairs(list)
}

// exitMap is FROM:TO, both exit codes, or several of them with commas in between.
type exitMap struct{ c *Config }

func (v *exitMap) read(text string) error {
	return pairs(text, func(from, to string) error {
		f, err1 := strconv.ParseUint(from, 10, 8)
		t, err2 := strconv.ParseUint(to, 10, 8)
		if err1 != nil || err2 != nil {
			return fmt.Errorf("%q is not a pair of exit codes: write two numbers from 0 to 255, as 143:0", from+":"+to)
		}
		if v.c.MapExit == nil {
			v.c.MapExit = map[int]int{}
		}
		v.c.MapExit[int(f)] = int(t)
		return nil
	})
}

func (v *exitMap) show() string {
	var list []string
	for from, to := range v.c.MapExit {
		list = append(list, strconv.Itoa(from)+":"+strconv.Itoa(to))
	}
	return showPairs(list)
}

// pairs calls read for each FROM:TO of a list.
func pairs(text string, read func(from, to string) error) error {
	if text == "" {
		return nil
	}
	for pair := range strings.SplitSeq(text, ",") {
		from, to, ok := strings.Cut(strings.TrimSpace(pair), ":")
		if !ok {
			return fmt.Errorf("%q is not a pair: write FROM:TO", pair)
		}
		if err := read(from, to); err != nil {
			return err
		}
	}
	return nil
}

func showPairs(pairs []string) string {
	slices.Sort(pairs)
	return strings.Join(pairs, ",")
}

// longest bounds each time, so that sums of them don't overflow.
const longest = 100_000 * time.Hour

// span is a time that is not shorter than the shortest.
type span struct {
	time     *time.Duration
	shortest time.Duration
}

func (v *span) read(text string) error {
	d, err := time.ParseDuration(text)
	if err != nil {
		return fmt.Errorf("%q is not a time: write a number with a unit, such as 500ms, 10s, 2m or 24h", text)
	}
	if d < v.shortest {
		return fmt.Errorf("%q is too short: write at least %v", text, v.shortest)
	}
	if d > longest {
		return fmt.Errorf("%q is too long: write at most %v", text, longest)
	}
	*v.time = d
	return nil
}

func (v *span) show() string { return v.time.String() }

// settle is a time, or auto.
type settle time.Duration

func (v *settle) read(text string) error {
	if text == "auto" {
		*v = settle(SettleAuto)
		return nil
	}
	return (&span{(*time.Duration)(v), 0}).read(text)
}

func (v *settle) show() string {
	if time.Duration(*v) == SettleAuto {
		return "auto"
	}
	return time.Duration(*v).String()
}

// toggle is on or off.
type toggle bool

func (v *toggle) read(text string) error {
	on, err := strconv.ParseBool(text)
	if err != nil {
		return fmt.Errorf("%q is neither on nor off: write true or false", text)
	}
	*v = toggle(on)
	return nil
}

func (v *toggle) show() string { return strconv.FormatBool(bool(*v)) }

// location is a path, which is made absolute and clean. An empty one removes that of a
// weaker source, where there may be none.
type location struct {
	path *string
	none bool
}

func (v *location) read(text string) error {
	if text == "" && v.none {
		*v.path = ""
		return nil
	}
	if text == "" {
		return fmt.Errorf("an empty path: write a directory such as /run/confit")
	}
	abs, err := filepath.Abs(text)
	if err != nil {
		return fmt.Errorf("cannot make %q absolute: %w", text, err)
	}
	*v.path = abs
	return nil
}

func (v *location) show() string { return *v.path }

// linksFiles are read after the command line and the environment: see parser.linksFiles.
type linksFiles struct{ c *Config }

func (v *linksFiles) read(string) error { return nil }

func (v *linksFiles) show() string { return strings.Join(v.c.LinkFiles, ",") }

// linesText are lines of a links file that stand on the command line or in the
// environment. They are read with the links files, and add up with them.
type linesText struct{ c *Config }

func (v *linesText) read(string) error { return nil }

func (v *linesText) show() string { return v.c.LinesFrom }

// mode is a switch to what confit is asked to do.
type mode struct {
	c    *Config
	mode Mode
}

func (v *mode) read(text string) error {
	var on toggle
	err := on.read(text)
	switch {
	case err != nil:
	case bool(on):
		v.c.Mode = v.mode
	case v.c.Mode == v.mode: // a stronger source switches it off
		v.c.Mode = Run
	}
	return err
}

func (v *mode) show() string { return "" }

// installation is where to install.
type installation struct{ c *Config }

func (v *installation) read(text string) error {
	if text == "" {
		return (&mode{v.c, Install}).read("false")
	}
	v.c.Mode = Install
	return (&location{&v.c.Install, false}).read(text)
}

func (v *installation) show() string { return "" }

// statusForm is a form, or the true and false of a switch.
type statusForm struct{ c *Config }

func (v *statusForm) read(text string) error {
	if v.c.StatusForm = ""; text == "json" || text == "text" {
		v.c.StatusForm, text = text, "true"
	}
	if (&mode{v.c, Status}).read(text) != nil {
		return fmt.Errorf("%q is no form of a status: write json or text", text)
	}
	return nil
}

func (v *statusForm) show() string { return "" }

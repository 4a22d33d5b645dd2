package config

import (
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"confit/linker"
	"confit/signals"
)

// value is the part of a Config that one setting is about.
type value struct {
	takes string // its name in the help, with what stands in front; "": a switch, on without a value
	read  func(text string) error
	show  func() string // as read takes it; "": nothing is set, or it isn't how confit works
}

// bare reports whether a flag needs no value.
func (v value) bare() bool { return v.takes == "" || v.takes[0] == '[' }

// command reports whether this may be a command: in a links file, the rest of a line.
func (v value) command() bool { return v.takes == " CMD" || v.takes == " ACTION" }

// field is a value that stands in the Config as it was read last.
func field[T any](takes string, at *T, parse func(text string) (T, error), text func(T) string) value {
	return value{takes, func(s string) error {
		v, err := parse(s)
		if err == nil {
			*at = v
		}
		return err
	}, func() string { return text(*at) }}
}

// readLater is read after the command line and the environment: see parser.linksFiles.
func readLater(takes string, show func() string) value {
	return value{takes, func(string) error { return nil }, show}
}

// command is the words of a hook. An empty one removes that of a weaker source.
func command(words *[]string) value {
	return field(" CMD", words, func(text string) ([]string, error) {
		if text == "" || text == "''" || text == `""` {
			return nil, nil
		}
		list, err := splitCommand(text)
		if err != nil {
			*words = list // there is one, though it is wrong
		}
		return list, err
	}, JoinWords)
}

// action is how the app is reloaded. Quotes around the whole are removed.
func action(a *Action) value {
	return field(" ACTION", a, func(text string) (Action, error) {
		if list, err := words(text); err == nil && len(list) == 1 && strings.ContainsAny(text[:1], `'"`) {
			text = list[0].text
		}
		return ParseAction(text)
	}, Action.String)
}

// parseCaught reads a signal that a process can do something about.
func parseCaught(text string) (signals.Signal, error) {
	sig, err := signals.Parse(text)
	if err == nil && !signals.Catchable(sig) {
		return 0, fmt.Errorf("nobody can catch %q: write another signal, such as TERM", text)
	}
	return sig, err
}

// mapping is FROM:TO, or several of them with commas in between. They add up.
func mapping[N ~int](at *map[N]N, parse func(from, to string) (N, N, error), name func(N) string) value {
	return value{" FROM:TO", func(text string) error {
		for pair := range strings.SplitSeq(text, ",") {
			from, to, ok := strings.Cut(strings.TrimSpace(pair), ":")
			if text == "" {
				return nil
			}
			if !ok {
				return fmt.Errorf("%q is not a pair: write FROM:TO", pair)
			}
			f, t, err := parse(from, to)
			if err != nil {
				return err
			}
			if *at == nil {
				*at = map[N]N{}
			}
			(*at)[f] = t
		}
		return nil
	}, func() string {
		var list []string
		for from, to := range *at {
			list = append(list, name(from)+":"+name(to))
		}
		slices.Sort(list)
		return strings.Join(list, ",")
	}}
}

// signalMap maps a signal to another one, or to none, which drops it.
func signalMap(c *Config) value {
	return mapping(&c.MapSignal, func(from, to string) (f, t signals.Signal, err error) {
		f, err = parseCaught(from)
		if err == nil && to != "" {
			t, err = signals.Parse(to)
		}
		return f, t, err
	}, func(s signals.Signal) string {
		if s == 0 {
			return ""
		}
		return signals.Name(s)
	})
}

func exitMap(c *Config) value {
	return mapping(&c.MapExit, func(from, to string) (int, int, error) {
		f, err1 := strconv.ParseUint(from, 10, 8)
		t, err2 := strconv.ParseUint(to, 10, 8)
		if err1 != nil || err2 != nil {
			return 0, 0, fmt.Errorf("%q is not a pair of exit codes: write two numbers from 0 to 255, as 143:0",
				from+":"+to)
		}
		return int(f), int(t), nil
	}, strconv.Itoa)
}

// longest bounds each time, so that sums of them don't overflow.
const longest = 100_000 * time.Hour

// span is a time that is not shorter than the shortest. If that is SettleAuto, auto may stand in
// its place.
func span(d *time.Duration, shortest time.Duration) value {
	return field(" D", d, func(text string) (time.Duration, error) {
		d, err := time.ParseDuration(text)
		least := max(shortest, 0)
		switch {
		case text == "auto" && shortest == SettleAuto:
			return SettleAuto, nil
		case err != nil:
			err = fmt.Errorf("%q is not a time: write a number with a unit, such as 500ms, 10s, 2m or 24h", text)
		case d < least:
			err = fmt.Errorf("%q is too short: write at least %v", text, least)
		case d > longest:
			err = fmt.Errorf("%q is too long: write at most %v", text, longest)
		}
		return d, err
	}, func(d time.Duration) string {
		if d == SettleAuto {
			return "auto"
		}
		return d.String()
	})
}

func toggle(on *bool) value { return field("", on, parseBool, strconv.FormatBool) }

func parseBool(text string) (bool, error) {
	on, err := strconv.ParseBool(text)
	if err != nil {
		err = fmt.Errorf("%q is neither on nor off: write true or false", text)
	}
	return on, err
}

// location is a path, which becomes absolute and clean. If there may be none, an empty one removes
// that of a weaker source.
func location(path *string, none bool) value {
	return field(" DIR", path, func(text string) (string, error) {
		if text == "" && none {
			return "", nil
		}
		if text == "" {
			return "", errors.New("an empty path: write a directory such as /run/confit")
		}
		if text != strings.TrimSpace(text) {
			return "", fmt.Errorf("%q begins or ends with a blank: write it without", text)
		}
		abs, err := filepath.Abs(text)
		if err != nil {
			return "", fmt.Errorf("cannot make %q absolute: %w", text, err)
		}
		return abs, nil
	}, func(path string) string { return path })
}

// oneOf is one of the choices, by its name.
func oneOf[T comparable](takes string, at *T, choices map[string]T) value {
	names := slices.Sorted(maps.Keys(choices))
	return field(takes, at, func(text string) (T, error) {
		choice, known := choices[text]
		if !known {
			return choice, fmt.Errorf("%q is not known here: write one of %s", text, strings.Join(names, ", "))
		}
		return choice, nil
	}, func(choice T) string {
		return names[slices.IndexFunc(names, func(name string) bool { return choices[name] == choice })]
	})
}

// order is what confit is asked to do. A stronger source may take it back.
func order(takes string, c *Config, m Mode, read func(text string) (on bool, err error)) value {
	return value{takes, func(text string) error {
		on, err := read(text)
		switch {
		case on:
			c.Mode = m
		case c.Mode == m && err == nil:
			c.Mode = Run
		}
		return err
	}, func() string { return "" }}
}

// installation is where to install.
func installation(c *Config) value {
	return order(" FILE", c, Install,
		func(text string) (bool, error) { return text != "", location(&c.Install, true).read(text) })
}

// statusForm is a form, or the true and false of a switch.
func statusForm(c *Config) value {
	return order("[=FORMAT]", c, Status, func(text string) (bool, error) {
		c.StatusJSON = text == "json"
		if c.StatusJSON || text == "text" {
			return true, nil
		}
		on, err := parseBool(text)
		if err != nil {
			on, err = true, fmt.Errorf("%q is no form of a status: write json or text", text)
		}
		return on, err
	})
}

// seeding is a directory to copy, and where to. Several add up.
func seeding(c *Config) value {
	return order(" DIR=TO", c, Seed, func(text string) (bool, error) {
		pair, err := linker.ParseSeed(text)
		c.Seed = append(c.Seed, pair)
		return true, err
	})
}

// trying is the directory of the volumes to try, or - for what comes on standard input.
func trying(c *Config) value {
	return order(" DIR|-", c, Try, func(text string) (bool, error) {
		if text == "" {
			return true, errors.New(
				"an empty path: write a directory that is laid out as --volumes is, or - for what comes on stdin")
		}
		if text == "-" {
			c.Try = ""
			return true, nil
		}
		return true, location(&c.Try, false).read(text)
	})
}

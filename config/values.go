package config

import (
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"confit/signals"
)

// hook reads the command of a hook that isn't the renderer.
func hook(field func(*Config) *[]string) func(*Config, string) error {
	return commandOf(field, splitHook)
}

// commandOf reads a command. An empty one removes that of a weaker source.
func commandOf(field func(*Config) *[]string, split func(string) ([]string, error)) func(*Config, string) error {
	return func(c *Config, value string) (err error) {
		*field(c) = nil
		if list, err := splitWords(value); value == "" || err == nil && len(list) == 1 && list[0] == "" {
			return nil
		}
		*field(c), err = split(value)
		return err
	}
}

// readFallback reads a directory. An empty one removes that of a weaker source.
func readFallback(c *Config, value string) error {
	if value == "" {
		c.Fallback = ""
		return nil
	}
	return path(func(c *Config) *string { return &c.Fallback })(c, value)
}

// readReload removes quotes around the whole of an action.
func readReload(c *Config, value string) (err error) {
	if list, err := splitWords(value); err == nil && len(list) == 1 && strings.ContainsAny(value[:1], `'"`) {
		value = list[0]
	}
	c.Reload, err = ParseAction(value)
	return err
}

func readStopSignal(c *Config, value string) (err error) {
	c.StopSignal, err = signals.Parse(value)
	return err
}

// readMapSignal reads FROM:TO, or FROM: to drop a signal, or several of them with
// commas in between.
func readMapSignal(c *Config, value string) error {
	return pairs(value, func(from, to string) error {
		f, err := signals.Parse(from)
		if err != nil {
			return err
		}
		t := signals.Signal(0)
		if to != "" {
			if t, err = signals.Parse(to); err != nil {
				return err
			}
		}
		if c.MapSignal == nil {
			c.MapSignal = map[signals.Signal]signals.Signal{}
		}
		c.MapSignal[f] = t
		return nil
	})
}

// readMapExit reads FROM:TO, both exit codes, or several of them with commas in
// between.
func readMapExit(c *Config, value string) error {
	return pairs(value, func(from, to string) error {
		f, err1 := strconv.ParseUint(from, 10, 8)
		t, err2 := strconv.ParseUint(to, 10, 8)
		if err1 != nil || err2 != nil {
			return fmt.Errorf("%q is not a pair of exit codes: write two numbers from 0 to 255, as 143:0", from+":"+to)
		}
		if c.MapExit == nil {
			c.MapExit = map[int]int{}
		}
		c.MapExit[int(f)] = int(t)
		return nil
	})
}

// pairs calls read for each FROM:TO of a list.
func pairs(value string, read func(from, to string) error) error {
	if value == "" {
		return nil
	}
	for pair := range strings.SplitSeq(value, ",") {
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

func readSettle(c *Config, value string) error {
	if value == "auto" {
		c.Settle = SettleAuto
		return nil
	}
	return duration(0, func(c *Config) *time.Duration { return &c.Settle })(c, value)
}

func readLogFormat(c *Config, value string) (err error) {
	c.LogJSON, err = oneOf(value, map[string]bool{"text": false, "json": true})
	return err
}

func readLogLevel(c *Config, value string) (err error) {
	c.LogLevel, err = oneOf(value, map[string]slog.Level{
		"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError,
	})
	return err
}

// readStatus reads a form, or the true and false of a switch.
func readStatus(c *Config, value string) error {
	if c.StatusForm = ""; value == "json" || value == "text" {
		c.StatusForm, value = value, "true"
	}
	if mode(Status)(c, value) != nil {
		return fmt.Errorf("%q is no form of a status: write json or text", value)
	}
	return nil
}

func readInstall(c *Config, value string) error {
	if value == "" {
		return mode(Install)(c, "false")
	}
	c.Mode = Install
	return path(func(c *Config) *string { return &c.Install })(c, value)
}

func mode(m Mode) func(*Config, string) error {
	return onOff(func(c *Config, on bool) {
		switch {
		case on:
			c.Mode = m
		case c.Mode == m: // a stronger source switches it off
			c.Mode = Run
		}
	})
}

func onOff(set func(c *Config, on bool)) func(*Config, string) error {
	return func(c *Config, value string) error {
		on, err := strconv.ParseBool(value)
		if err != nil {
			return fmt.Errorf("%q is neither on nor off: write true or false", value)
		}
		set(c, on)
		return nil
	}
}

func oneOf[T any](value string, choices map[string]T) (T, error) {
	chosen, ok := choices[value]
	if !ok {
		return chosen, fmt.Errorf("%q is not known here: write one of %s", value, strings.Join(slices.Sorted(maps.Keys(choices)), ", "))
	}
	return chosen, nil
}

// path reads a path and makes it absolute and clean.
func path(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, value string) error {
		if value == "" {
			return fmt.Errorf("an empty path: write a directory such as /run/confit")
		}
		abs, err := filepath.Abs(value)
		if err != nil {
			return fmt.Errorf("cannot make %q absolute: %w", value, err)
		}
		*field(c) = abs
		return nil
	}
}

// longest bounds each time, so that sums of them don't overflow.
const longest = 100_000 * time.Hour

// duration reads a time that is not shorter than the shortest.
func duration(shortest time.Duration, field func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil {
			return fmt.Errorf("%q is not a time: write a number with a unit, such as 500ms, 10s or 2m", value)
		}
		if d < shortest {
			return fmt.Errorf("%q is too short: write at least %v", value, shortest)
		}
		if d > longest {
			return fmt.Errorf("%q is too long: write at most %v", value, longest)
		}
		*field(c) = d
		return nil
	}
}

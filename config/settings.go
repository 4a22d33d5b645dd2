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

// setting is one flag. All may be set in the environment too, but help and
// version; those of a mode or of the command line's own can't stand in a links
// file.
type setting struct {
	name    string
	short   string // a one-letter name
	def     string // the default
	bare    bool   // a switch: without a value it is on
	command bool   // the value is a command: in a links file, the rest of the line
	repeat  bool   // may stand more than once
	notFile bool   // can't stand in a links file
	notEnv  bool   // can't stand in the environment
	read    func(c *Config, value string) error
}

// settings is every flag that there is.
var settings = []setting{
	{name: "links", def: "", notFile: true, read: func(*Config, string) error { return nil }}, // see linksFiles
	{name: "volumes", def: "/confit", read: path(func(c *Config) *string { return &c.Volumes })},
	{name: "state", def: "/run/confit", read: path(func(c *Config) *string { return &c.State })},
	{name: "validate", command: true, read: hook(func(c *Config) *[]string { return &c.Validate })},
	{name: "validate-timeout", def: "30s", read: duration(time.Millisecond, func(c *Config) *time.Duration { return &c.ValidateTimeout })},
	{name: "reload", def: "auto", command: true, read: readReload},
	{name: "verify", command: true, read: hook(func(c *Config) *[]string { return &c.Verify })},
	{name: "verify-timeout", def: "10s", read: duration(time.Millisecond, func(c *Config) *time.Duration { return &c.VerifyTimeout })},
	{name: "probation", def: "5s", read: duration(0, func(c *Config) *time.Duration { return &c.Probation })},
	{name: "settle", def: "auto", read: readSettle},
	{name: "splay", def: "0", read: duration(0, func(c *Config) *time.Duration { return &c.Splay })},
	{name: "retry", def: "10s", read: duration(100*time.Millisecond, func(c *Config) *time.Duration { return &c.Retry })},
	{name: "rescan", def: "10s", read: duration(10*time.Millisecond, func(c *Config) *time.Duration { return &c.Rescan })},
	{name: "stop-signal", def: "TERM", read: readStopSignal},
	{name: "stop-timeout", def: "30s", read: duration(0, func(c *Config) *time.Duration { return &c.StopTimeout })},
	{name: "map-signal", repeat: true, read: readMapSignal},
	{name: "signal-group", def: "false", bare: true, read: onOff(func(c *Config, on bool) { c.SignalGroup = on })},
	{name: "drain-timeout", def: "5s", read: duration(0, func(c *Config) *time.Duration { return &c.DrainTimeout })},
	{name: "adopt", def: "false", bare: true, read: onOff(func(c *Config, on bool) { c.Adopt = on })},
	{name: "map-exit", repeat: true, read: readMapExit},
	{name: "allow-disk", def: "false", bare: true, read: onOff(func(c *Config, on bool) { c.AllowDisk = on })},
	{name: "log-format", def: "text", read: readLogFormat},
	{name: "log-level", def: "info", read: readLogLevel},
	{name: "check", def: "false", bare: true, notFile: true, read: mode(Check)},
	{name: "bake", def: "false", bare: true, notFile: true, read: mode(Bake)},
	{name: "install", def: "", notFile: true, read: readInstall},
	{name: "status", def: "false", bare: true, notFile: true, read: mode(Status)},
	{name: "version", def: "false", bare: true, notFile: true, notEnv: true, read: mode(Version)},
	{name: "help", short: "h", def: "false", bare: true, notFile: true, notEnv: true, read: mode(Help)},
}

// find is the setting of that name, or nil.
func find(name string) *setting {
	for i := range settings {
		if settings[i].name == name {
			return &settings[i]
		}
	}
	return nil
}

// names lists the settings that pass the filter, to suggest one of them.
func names(filter func(*setting) bool) []string {
	var list []string
	for i := range settings {
		if filter(&settings[i]) {
			list = append(list, settings[i].name)
		}
	}
	return list
}

// hook reads a command; an empty one takes a weaker source's back.
func hook(field func(*Config) *[]string) func(*Config, string) error {
	return func(c *Config, value string) (err error) {
		if *field(c) = nil; value == "" || value == "''" || value == `""` {
			return nil
		}
		*field(c), err = splitCommand(value)
		return err
	}
}

// readReload takes quotes off that stand around the whole of an action.
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

// readMapSignal reads FROM:TO, or FROM: to drop it; several are parted by
// commas.
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

// readMapExit reads FROM:TO, both exit codes; several are parted by commas.
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

// pairs gives each FROM:TO of a list to read.
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
		case c.Mode == m: // a stronger source takes it back
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

// duration reads a time of at least the given length.
func duration(least time.Duration, field func(*Config) *time.Duration) func(*Config, string) error {
	return func(c *Config, value string) error {
		d, err := time.ParseDuration(value)
		if err != nil {
			return fmt.Errorf("%q is not a time: write a number with a unit, such as 500ms, 10s or 2m", value)
		}
		if d < least {
			return fmt.Errorf("%q is too short: write at least %v", value, least)
		}
		*field(c) = d
		return nil
	}
}

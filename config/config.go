// Package config knows flags, environment and the links file.
//
// It guarantees that everything that is wrong with them is reported at once,
// each error with the place, the word and what to write instead, and that
// nothing misspelt is ignored. The precedence is: command line, environment,
// links file, default.
//
// It knows nothing of processes or of what volumes hold, and it is the only
// user of pflag.
package config

import (
	"log/slog"
	"time"

	"confit/linker"
	"confit/signals"
)

// Mode is what confit is asked to do.
type Mode int

const (
	Run     Mode = iota // run the app
	Check               // parse everything, print the plan
	Bake                // make the target links and exit
	Install             // copy the program and exit
	Status              // print the status
	Version             // print the version
	Help                // print the help
)

// Config is what confit was told.
type Config struct {
	Mode Mode
	App  []string // the app and its arguments, byte for byte

	LinkFiles []string // the links files that were read
	Links     []Link
	Volumes   string // absolute
	State     string // absolute
	AllowDisk bool
	Install   string // where to install

	Fallback string // absolute; "": none

	Render        []string      // the hook's words; none: nothing is rendered
	Validate      []string      // none: no validation
	Gate          []string      // none: nobody is asked
	Report        []string      // none: nobody is told
	HookTimeout   time.Duration // for render, validate, report and a reload by a hook
	Reload        Action
	Verify        []string // none: an app that runs is well
	VerifyTimeout time.Duration
	Probation     time.Duration // 0: an app that was reloaded is believed
	Settle        time.Duration // SettleAuto: by the volumes
	Splay         time.Duration // the longest random wait before a reload; 0: none
	Retry         time.Duration // the first wait before a rejected candidate is tried again
	Rescan        time.Duration

	StopSignal   signals.Signal
	StopTimeout  time.Duration
	MapSignal    map[signals.Signal]signals.Signal // 0: dropped
	SignalGroup  bool
	DrainTimeout time.Duration
	Adopt        bool
	MapExit      map[int]int

	LogJSON  bool
	LogLevel slog.Level
}

// SettleAuto stands for a settle time that was not given: none for a single
// atomic volume, where one rename is the whole change, and else 100 ms.
const SettleAuto time.Duration = -1

// Link is a link line.
type Link struct {
	linker.Link
	Reload *Action // what a change of the key asks for; nil: the default
}

// Linker is what the linker needs of the configuration, and its log.
func (c *Config) Linker(log *slog.Logger) linker.Config {
	links := make([]linker.Link, len(c.Links))
	for i, l := range c.Links {
		links[i] = l.Link
	}
	return linker.Config{Links: links, Volumes: c.Volumes, State: c.State, Render: len(c.Render) > 0, AllowDisk: c.AllowDisk, Log: log}
}

// Package config knows flags, environment and the links file.
//
// It guarantees that it reports all errors at once, each with the place, the word and what to write
// instead, and that it ignores nothing misspelt. The precedence is: command line, environment,
// links file, default.
//
// It knows nothing of processes or of what volumes hold. It alone uses pflag.
package config

import (
	"crypto/sha256"
	"log/slog"
	"time"

	"confit/linker"
	"confit/signals"
)

// Mode is what confit is asked to do.
type Mode int

// The modes. Each but Run has a flag of its name.
const (
	Run     Mode = iota // run the app
	Check               // read everything, print the plan
	Bake                // make the target links
	Install             // copy the program
	Seed                // copy directories of the image
	Try                 // say what a start would make of other volumes
	Status              // print the status
	Version             // print the version
	Help                // print the help
)

// Config is what flags, environment and links files say.
type Config struct {
	Mode Mode
	App  []string // the program and its arguments, byte for byte

	AskedBy string // the variable that has set the mode; "": none has

	LinkFiles []string // the links files that were read
	LinksRead LinksSum // what they held
	LinesFrom string   // the place of more lines, "--lines" or "CONFIT_LINES"; "": there are none
	Links     []Link
	Install   string // where to install
	Optional  bool   // Bake covers what the image has at the targets of optional lines, too

	Seed []linker.SeedPair // what to copy where

	Try string // the directory of volumes to try, absolute; "": they come on stdin

	StatusJSON bool // a machine reads the status

	Render        []string      // the hook's words; none: nothing is rendered
	Validate      []string      // none: no validation
	Gate          []string      // none: no gate
	Report        []string      // none: nothing is reported
	HookTimeout   time.Duration // for render, validate, report and a reload by a hook
	Reload        Action
	Verify        []string // none: an app that runs is well
	VerifyTimeout time.Duration
	Probation     time.Duration // 0: an app that was reloaded is believed
	Soak          time.Duration // SettleAuto: see SoakFor; 0: what survives its probation is believed
	Settle        time.Duration // how long to wait for quiet; SettleAuto: that depends on the volumes
	Splay         time.Duration // the longest random wait before a reload; 0: none
	Retry         time.Duration // the first wait before a rejected candidate is tried again
	Rescan        time.Duration // between two looks at the volumes without an event

	StopSignal        signals.Signal
	StopTimeout       time.Duration
	EntrypointTimeout time.Duration                     // how long the app may be at its entrypoint; 0: nobody asks
	MapSignal         map[signals.Signal]signals.Signal // 0: dropped
	SignalGroup       bool
	DrainTimeout      time.Duration
	Adopt             bool
	MapExit           map[int]int

	LogJSON  bool
	LogLevel slog.Level

	linksNames []string          // files and directories, absolute
	linker     linker.Config     // without its log
	places     map[string]string // of commands, by the names of their settings
}

// SoakFor is how long an app has to live with a generation until that has soaked: by default ten
// probations, from a minute to an hour, and never less than one probation. 0: nothing has to soak.
func (c *Config) SoakFor() time.Duration {
	soak := c.Soak
	if soak == SettleAuto {
		soak = min(max(10*c.Probation, time.Minute), time.Hour)
	}
	if soak == 0 {
		return 0
	}
	return max(soak, c.Probation)
}

const (
	// SettleAuto is the default: 0 for a single atomic volume, where one rename is the whole
	// change, SwapSettle for several, and DefaultSettle if a volume is plain.
	SettleAuto time.Duration = -1

	// SwapSettle joins the swaps of several volumes, which the kubelet makes side by side within
	// milliseconds (MarkRemountRequired and reconcile of pkg/kubelet/volumemanager).
	SwapSettle = 20 * time.Millisecond

	// DefaultSettle joins what a person or a program writes file by file.
	DefaultSettle = 100 * time.Millisecond
)

// Link is a link line.
type Link struct {
	linker.Link
	Reload *Action // what a change of the key asks for; nil: Config.Reload
}

// Linker is the linker's configuration, with its log, and how many bytes of variables a process can
// be given; 0: not known.
func (c *Config) Linker(log *slog.Logger, space int) linker.Config {
	l := c.linker
	l.Log, l.Space = log, space
	return l
}

// LinksSum is a SHA-256 of names and bytes of the links files.
type LinksSum [sha256.Size]byte

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
	"errors"
	"fmt"
	"log/slog"
	"time"

	"confit/linker"
	"confit/signals"
)

// Exit codes of confit itself, besides the app's own, 126 and 127.
const (
	ExitUsage    = 64 // wrong usage or links file, EX_USAGE of sysexits.h
	ExitSystem   = 71 // the system refused something before the app was started, EX_OSERR
	ExitRejected = 78 // the first configuration was rejected, EX_CONFIG
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

	Validate        []string // the hook's words; none: no validation
	ValidateTimeout time.Duration
	Reload          Action
	Verify          []string // the hook's words; none: an app that runs is well
	VerifyTimeout   time.Duration
	Probation       time.Duration // 0: an app that was told is believed
	Settle          time.Duration // SettleAuto: by the volumes
	Splay           time.Duration // the longest random wait before a reload; 0: none
	Retry           time.Duration // the first wait before a rejected candidate is tried again
	Rescan          time.Duration

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
	return linker.Config{Links: links, Volumes: c.Volumes, State: c.State, AllowDisk: c.AllowDisk, Log: log}
}

// Parse reads the command line (with the program's name in front), the
// environment and the links files. Its errors are joined; each says what to
// write instead. Even then the result has what the command line says of the
// log and of the mode.
func Parse(args, environ []string) (Config, error) {
	c := Config{}
	p := parser{config: &c, set: map[string]string{}}
	line, lineRead := p.commandLine(args)
	env := p.environment(environ)
	for i := range settings {
		p.apply(given{setting: &settings[i], value: settings[i].def, where: "default"})
	}
	what := func(s *setting) bool { return s.notFile } // what to do, and by which links files
	p.applyAll(what, env, line)
	if c.Mode == Help || c.Mode == Version {
		return c, nil
	}
	if c.Mode == Install {
		return c, errors.Join(p.wrong...)
	}
	if c.Mode == Status {
		p.findState(env, line)
		return c, errors.Join(p.wrong...)
	}
	how := func(s *setting) bool { return !s.notFile }
	p.applyAll(how, p.linksFiles(env, line), env, line)
	p.note(linker.Check(c.Linker(nil)))
	if c.Mode == Run && lineRead && len(c.App) == 0 {
		p.errorf("no app: write its command after --, as in: confit -- nginx -g 'daemon off;'")
	}
	return c, errors.Join(p.wrong...)
}

// findState is all that a status needs. It may be asked for in another
// container, which has no links file, or while the one at hand is being
// written: what is wrong with it doesn't matter.
func (p *parser) findState(env, line []given) {
	wrong := p.wrong
	file := p.linksFiles(env, line)
	p.wrong = wrong
	p.applyAll(func(s *setting) bool { return s.name == "state" }, file, env, line)
}

// given is one value of one setting.
type given struct {
	setting *setting
	value   string
	where   string // "--settle", "CONFIT_SETTLE", "/etc/confit/links:7"
}

// parser gathers what is given and what is wrong.
type parser struct {
	config *Config
	wrong  []error
	set    map[string]string // where a setting stands in the links files
}

func (p *parser) note(err error) {
	if err != nil {
		p.wrong = append(p.wrong, err)
	}
}

func (p *parser) errorf(format string, args ...any) {
	p.wrong = append(p.wrong, fmt.Errorf(format, args...))
}

// applyAll applies the settings that pass, the weakest source first.
func (p *parser) applyAll(filter func(*setting) bool, sources ...[]given) {
	for _, source := range sources {
		for _, g := range source {
			if filter(g.setting) {
				p.apply(g)
			}
		}
	}
}

func (p *parser) apply(g given) {
	if err := g.setting.read(p.config, g.value); err != nil {
		p.errorf("%s: %w", g.where, err)
	}
}

package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"confit/linker"
)

// Parse reads the command line, with the program's name in front, the environment and the links
// files. Its errors are joined. The mode and what the log needs are right even with an error.
func Parse(args, environ []string) (Config, error) {
	c := Config{linker: linker.Config{Pod: inPod(environ)}, places: map[string]string{}}
	p := parser{config: &c, settings: settingsOf(&c), set: map[string]string{}}
	line, lineRead := p.commandLine(args)
	env := p.environment(environ)
	for _, s := range p.settings {
		if s.def != "" {
			p.apply(given{setting: s, value: s.def, where: "default"})
		}
	}
	before := len(p.wrong)
	p.applyAll(func(s *setting) bool { return s.notFile }, env, line) // what to do, and by which links files
	// else it may be something else that is to be done
	lineRead = lineRead && len(p.wrong) == before
	switch c.Mode {
	case Help, Version:
		return c, nil
	case Status:
		p.findState(env, line)
		fallthrough
	case Install, Seed:
		return c, errors.Join(p.wrong...)
	}
	if !lineRead { // nor is it known which files to read
		return c, errors.Join(p.wrong...)
	}
	p.applyAll(func(s *setting) bool { return !s.notFile }, p.linksFiles(env, line), env, line)
	p.checkLinks()
	p.checkReloads()
	p.checkRendered()
	if fallback := c.linker.Fallback; fallback == c.linker.Volumes {
		p.errorf("fallback %q is --volumes itself: write a directory of the image, laid out in the same way", fallback)
	}
	if c.Optional && c.Mode != Bake {
		p.errorf("--optional is for --bake alone: write --bake --optional, or the option optional behind a line")
	}
	if c.Mode == Run && len(c.App) == 0 {
		p.errorf("no app: write its command after --, as in: confit -- nginx -g 'daemon off;'")
	}
	return c, errors.Join(p.wrong...)
}

// checkLinks works out what the links mean together.
func (p *parser) checkLinks() {
	c := p.config
	for _, l := range c.Links {
		c.linker.Links = append(c.linker.Links, l.Link)
	}
	c.linker.Render = len(c.Render) > 0
	var err error
	c.linker, err = linker.Check(c.linker)
	p.wrong = append(p.wrong, err)
}

// findState finds the state directory, which is all that --status needs. Errors of the links file
// don't matter: another container may have none, or it is being written.
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

func (g given) isFlag() bool { return strings.HasPrefix(g.where, "--") }

// parser gathers what is wrong while it applies what is given.
type parser struct {
	config   *Config
	settings settings          // of the config
	wrong    []error           // nil among them is none
	set      map[string]string // where a setting stands in the links files
	mode     given             // what has set the mode
}

func (p *parser) errorf(format string, args ...any) {
	p.wrong = append(p.wrong, fmt.Errorf(format, args...))
}

// applyAll applies the settings that pass, the weakest source first.
func (p *parser) applyAll(filter func(*setting) bool, sources ...[]given) {
	for _, g := range slices.Concat(sources...) {
		if filter(g.setting) {
			p.apply(g)
		}
	}
}

func (p *parser) apply(g given) {
	before := p.config.Mode
	if err := g.setting.read(g.value); err != nil {
		p.errorf("%s: %w", g.where, err)
	}
	if now := p.config.Mode; now != before {
		if before != Run && now != Run && max(before, now) < Version && p.mode.isFlag() && g.isFlag() {
			p.errorf("%s and %s: only one can be done, write one of the two", p.mode.where, g.where)
		}
		p.mode, p.config.AskedBy = g, ""
		if !g.isFlag() {
			p.config.AskedBy = g.where
		}
	}
	if g.setting.command() {
		p.config.places[g.setting.name] = g.where
	}
}

// isPlain refuses a word of a line that a shell would expand or divide.
func (p *parser) isPlain(where string, w word) bool {
	plain := !expands(w.bare) && !isOperator(w.bare)
	if !plain {
		p.errorf(
			"%s: %q means something to a shell alone: write it out, or put quotes around it to have it as it stands",
			where, w.text)
	}
	return plain
}

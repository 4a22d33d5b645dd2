package config

import (
	"errors"

	"confit/linker"
)

// Parse reads the command line, with the program's name in front, the environment
// and the links files. Its errors are joined; each says what to write instead.
// The log's settings and the mode are right even then.
func Parse(args, environ []string) (Config, error) {
	c := Config{Pod: inPod(environ), places: map[string]string{}}
	p := parser{config: &c, set: map[string]string{}}
	line, lineRead := p.commandLine(args)
	env := p.environment(environ)
	for _, s := range settings {
		if s.def != "" {
			p.apply(given{setting: s, value: s.def, where: "default"})
		}
	}
	p.applyAll(func(s *setting) bool { return s.notFile }, env, line) // what to do, and by which links files
	switch c.Mode {
	case Help, Version:
		return c, nil
	case Status:
		p.findState(env, line)
		fallthrough
	case Install, Seed:
		return c, errors.Join(p.wrong...)
	}
	p.applyAll(func(s *setting) bool { return !s.notFile }, p.linksFiles(env, line), env, line)
	p.checkLinks()
	p.checkTouch()
	if c.Fallback == c.Volumes {
		p.errorf("fallback %q is --volumes itself: write a directory of the image, laid out in the same way", c.Fallback)
	}
	if c.Optional && c.Mode != Bake {
		p.errorf("--optional is for --bake alone: write --bake --optional, or the option optional behind a line")
	}
	if c.Mode == Run && lineRead && len(c.App) == 0 {
		p.errorf("no app: write its command after --, as in: confit -- nginx -g 'daemon off;'")
	}
	return c, errors.Join(p.wrong...)
}

// checkLinks works out what the links mean together.
func (p *parser) checkLinks() {
	c := p.config
	links := make([]linker.Link, len(c.Links))
	for i, l := range c.Links {
		links[i] = l.Link
	}
	var err error
	c.linker, err = linker.Check(linker.Config{
		Links: links, Volumes: c.Volumes, Fallback: c.Fallback, State: c.State, View: c.View, Render: len(c.Render) > 0, AllowDisk: c.AllowDisk, Pod: c.Pod,
	})
	p.wrong = append(p.wrong, err)
}

// findState finds the state directory, which is all that --status needs. Somebody
// may ask for it in another container, which has no links file, or while the links
// file is being written. So what is wrong with that file doesn't matter.
func (p *parser) findState(env, line []given) {
	wrong := p.wrong
	file := p.linksFiles(env, line)
	p.wrong = wrong
	p.applyAll(func(s *setting) bool { return s.name == "state" }, file, env, line)
}

// ForPeople reports whether the status is printed as text, to a terminal or not.
func (c *Config) ForPeople(terminal bool) bool {
	return c.StatusForm == "text" || (terminal && c.StatusForm == "")
}

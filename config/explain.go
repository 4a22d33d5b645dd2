package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"confit/linker"
)

// Explain prints the settings and what confit would do with the links. It changes
// nothing. Its error names all that a start would fail of: links that can't be made,
// keys that are missing, and programs that find says can't be started.
// restarts says of which programs auto does that.
func Explain(w io.Writer, c *Config, find func(program string) error, restarts func(program string) bool) error {
	c.eachInForce(func(s *setting, shown string) { printRow(w, s.name, s.meant(shown)) })
	if len(c.App) > 0 {
		printRow(w, "app", JoinWords(c.App))
	}
	err := errors.Join(linker.Explain(w, c.Linker(nil, 0)), c.findPrograms(w, find))
	c.noteExpanded(w)
	c.notePaths(w)
	c.noteTimes(w)
	c.noteRestarts(w, restarts)
	return err
}

// notePaths names paths of a candidate where no line puts a key.
func (c *Config) notePaths(w io.Writer) {
	for _, h := range c.commands() {
		for _, word := range h.command {
			_, path, found := strings.Cut(word, Placeholder+"/")
			if end := strings.IndexAny(path, ` '";&|<>()$`); end >= 0 {
				path = path[:end]
			}
			if example := c.keyFor(path); found && example != "" {
				fmt.Fprintf(w, "note: %s: no line puts %q into the candidate: a key is there by its source, as in %s/%s\n", h.name, path, Placeholder, example)
			}
		}
	}
}

// keyFor is the source of a line that somebody may mean by a path in the candidate, where
// no line puts anything; else "".
func (c *Config) keyFor(path string) (example string) {
	for i := range c.Links {
		l := &c.Links[i]
		source := strings.TrimPrefix(l.Source, "/")
		dir, _, _ := strings.Cut(source, "*")
		switch path = strings.TrimSuffix(path, "/"); {
		case path == "", path[0] == '.', strings.HasPrefix(source+"/", path+"/"), dir != source && strings.HasPrefix(path, dir),
			strings.HasSuffix(source, "/") && strings.HasPrefix(path, source), strings.ContainsAny(source, "?["):
			return ""
		case string(l.Target) == "/"+path || example == "":
			example = source
		}
	}
	return example
}

// noteRestarts says what an edit costs that restarts the app.
func (c *Config) noteRestarts(w io.Writer, restarts func(program string) bool) {
	auto := restarts(programOf(c.App))
	if c.Splay == 0 && c.Gate == nil && slices.ContainsFunc(c.Links, func(l Link) bool {
		a := c.ActionOf(&l)
		return a.Kind == Restart || a.Auto && auto
	}) {
		fmt.Fprintln(w, "todo: an edit restarts the apps of all replicas within a minute, and no PodDisruptionBudget holds that: write splay 5m, or a gate")
	}
}

// noteTimes names times that are hardly meant to be as long.
func (c *Config) noteTimes(w io.Writer) {
	if c.Settle > time.Minute {
		fmt.Fprintf(w, "note: settle %v: an edit waits until nothing has changed for so long; to spread reloads, write splay\n", c.Settle)
	}
	if c.Probation > 0 && c.SoakFor() == c.Probation {
		fmt.Fprintf(w, "note: probation %v leaves nothing to soak, and the next edit waits for its end: write a shorter one\n", c.Probation)
	}
}

func printRow(w io.Writer, name, value string) { fmt.Fprintf(w, "%-18s%s\n", name, value) }

// Missing names the programs that a start would not find. It is for a --check of a
// wrong links file, which has no plan to print, so that all is said at once.
func (c *Config) Missing(find func(program string) error) error {
	if c.Mode != Check {
		return nil
	}
	return c.findPrograms(io.Discard, find)
}

// findPrograms looks up what the hooks and the app start. A program whose directory
// isn't there may be on a volume of the pod: outside of one that is only noted.
func (c *Config) findPrograms(w io.Writer, find func(program string) error) error {
	var wrong []error
	for _, h := range c.commands() {
		program := programOf(h.command)
		if program == "" || c.bringsProgram(program) {
			continue
		}
		err := find(program)
		_, noDir := os.Stat(filepath.Dir(program))
		switch {
		case err == nil:
		case noDir != nil && !c.Pod:
			fmt.Fprintf(w, "note: %s: %v\n", h.name, err)
		default:
			wrong = append(wrong, fmt.Errorf("%s: %w", h.name, err))
		}
	}
	return errors.Join(wrong...)
}

// programOf is the program that a command starts, also through env NAME=VALUE.
func programOf(command []string) string {
	for i, w := range command {
		switch {
		case i == 0 && w == "env", i > 0 && strings.Contains(w, "="):
		case i > 0 && strings.HasPrefix(w, "-"):
			return command[0]
		default:
			return w
		}
	}
	return ""
}

// namedCommand is a command, and what it is in messages.
type namedCommand struct {
	name    string
	command []string
}

// commands are all that confit may start.
func (c *Config) commands() []namedCommand {
	list := []namedCommand{
		{"render", c.Render}, {"validate", c.Validate}, {"gate", c.Gate}, {"report", c.Report},
		{"reload", c.Reload.Command}, {"verify", c.Verify}, {"app", c.App},
	}
	for i := range c.Links {
		if l := &c.Links[i]; l.Reload != nil {
			list = append(list, namedCommand{l.Where + ": reload", l.Reload.Command})
		}
	}
	return list
}

// bringsProgram reports whether a program may be a key, so that it comes with the
// volumes: a target, below one, or in a directory of programs where keys are linked.
func (c *Config) bringsProgram(program string) bool {
	brings := strings.Contains(program, Placeholder) || strings.Contains(program, linker.Rendered)
	for i := range c.Links {
		target := string(c.Links[i].Target)
		brings = brings || target == program || filepath.Base(target) == program || !strings.Contains(program, "/") && strings.HasSuffix(target, "bin/") ||
			target != "" && strings.HasPrefix(program, strings.TrimSuffix(target, "/")+"/")
	}
	return brings
}

package config

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"confit/linker"
)

// Explain prints the settings and what confit would do with the links. It changes nothing. Its
// error has all reasons for which a start would fail: links that can't be made, missing keys,
// programs that can't be started by find, and paths that no candidate has. restarts reports whether
// auto restarts a program, and fronts names a shell that stays in front of the app's words.
func Explain(w io.Writer, c *Config, find func(string) error, restarts func(string) bool,
	fronts func([]string) string) error {
	for _, s := range settingsOf(c) {
		if shown := s.show(); shown != "" {
			printRow(w, s.name, s.meant(shown))
		}
	}
	if len(c.App) > 0 {
		printRow(w, "app", JoinWords(c.App))
	}
	err := linker.Explain(w, c.Linker(nil, 0))
	missing, later := c.unfound(append(c.hooks(), namedCommand{"app", c.App, false}), find)
	for _, err := range later {
		fmt.Fprintln(w, "note:", err)
	}
	if shell := fronts(c.App); shell != "" && c.EntrypointTimeout > 0 {
		fmt.Fprintf(w, shellNote, shell)
	}
	c.noteOdd(w)
	c.noteRestarts(w, restarts)
	return errors.Join(slices.Concat([]error{err}, missing, c.checkPaths())...)
}

const shellNote = "note: app: %q stays a shell, so it gets the app's signals, and edits of its first five minutes wait: " +
	"write exec in front of its last command\n"

// noteRestarts notes what an edit costs that restarts the app.
func (c *Config) noteRestarts(w io.Writer, restarts func(program string) bool) {
	byAuto := len(c.App) > 0 && restarts(c.App[0])
	byLink := func(l Link) bool {
		a := c.ActionOf(&l)
		return a.Kind == Restart || a.Auto && byAuto
	}
	if c.Splay == 0 && c.Gate == nil && slices.ContainsFunc(c.Links, byLink) {
		fmt.Fprintln(w,
			"todo: an edit restarts the apps of all replicas within a minute, and no PodDisruptionBudget holds that: write splay 5m, or a gate")
	}
}

func printRow(w io.Writer, name, value string) { fmt.Fprintf(w, "%-18s%s\n", name, value) }

// Doubts are why hooks will fail, as far as a start can tell: most hooks don't run before an edit.
func (c *Config) Doubts(find func(program string) error) []error {
	missing, later := c.unfound(c.hooks(), find)
	return slices.Concat(missing, later, c.checkPaths())
}

// unfound names programs that can't be started. later are those whose directory is missing: outside
// of a pod they are only noted, as its volumes may bring the directory.
func (c *Config) unfound(list []namedCommand, find func(program string) error) (missing, later []error) {
	for _, command := range list {
		if len(command.words) == 0 || c.bringsProgram(command.words[0]) {
			continue
		}
		program := command.words[0]
		err := find(program)
		if err == nil {
			continue
		}
		err = fmt.Errorf("%s: %w", command.where, err)
		_, noDir := os.Stat(filepath.Dir(program))
		if noDir != nil && !c.linker.Pod {
			later = append(later, err)
		} else {
			missing = append(missing, err)
		}
	}
	return missing, later
}

// bringsProgram reports whether a program may be a key: a target, below one, or in a directory of
// programs where keys are linked.
func (c *Config) bringsProgram(program string) bool {
	if strings.Contains(program, Placeholder) || strings.Contains(program, linker.Rendered) {
		return true
	}
	return slices.ContainsFunc(c.Links, func(l Link) bool {
		target := string(l.Target)
		switch {
		case target == program, filepath.Base(target) == program:
			return true
		case !strings.Contains(program, "/"): // it is looked for in PATH
			return strings.HasSuffix(target, "bin/")
		}
		return target != "" && strings.HasPrefix(program, strings.TrimSuffix(target, "/")+"/")
	})
}

// checkRendered refuses {rendered} in hooks, to which it would be an argument like any other.
func (p *parser) checkRendered() {
	for _, h := range p.config.hooks()[1:] {
		for _, word := range h.words {
			if strings.Contains(word, linker.Rendered) {
				p.errorf("%s: %q holds {rendered}, which only render has: write {candidate}/.rendered", h.where, word)
			}
		}
	}
}

// checkPaths refuses paths in hooks that no candidate has, whatever the volumes hold.
func (c *Config) checkPaths() (wrong []error) {
	for _, h := range c.hooks() {
		if strings.Contains(strings.Join(h.words, " "), "! -") { // test(1), which may want that there is none
			continue
		}
		for _, word := range h.words {
			for _, path := range strings.Split(word, Placeholder+"/")[1:] {
				if err := c.checkPath(path); err != nil {
					wrong = append(wrong, fmt.Errorf("%s: %w", h.where, err))
				}
			}
		}
	}
	return wrong
}

// checkPath refuses a path below the candidate, at the start of a word, if no line puts anything
// there. What a shell makes isn't known.
func (c *Config) checkPath(path string) error {
	if end := strings.IndexAny(path, " '\";&|<>(),:=]#\t\r\n"); end >= 0 {
		path = path[:end]
	}
	path = strings.TrimSuffix(path, "/")
	isPlain := path != "" && path[0] != '.' && path == filepath.Clean(path) && !strings.ContainsAny(path, "$`*?[{\\")
	if !isPlain || len(c.Links) == 0 {
		return nil
	}
	meant := ""
	for _, l := range c.Links {
		source := strings.TrimPrefix(l.Source, "/")
		if puts(source, path) && !l.Direct {
			return nil
		}
		if string(l.Target) == "/"+path || filepath.Base(source) == path {
			meant = strings.Replace(source, linker.Rendered, ".rendered", 1)
		}
	}
	if meant != "" {
		return fmt.Errorf("no line puts %q into the candidate: a key that isn't direct is there by its source, write %s/%s", path, Placeholder, meant)
	}
	return fmt.Errorf("no line puts %q into the candidate: write a line input %s, if that is a key, and no option direct", path, path)
}

// puts reports whether a line may put something at a path of the candidate, by its source.
func puts(source, path string) bool {
	dir, _, pattern := strings.Cut(source, "*")
	switch {
	case strings.HasPrefix(source+"/", path+"/"), strings.ContainsAny(source, "?["):
		return true
	case pattern:
		return strings.HasPrefix(path, dir)
	}
	return strings.HasSuffix(source, "/") && strings.HasPrefix(path, source)
}

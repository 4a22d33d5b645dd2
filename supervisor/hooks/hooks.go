// Package hooks knows what a hook is told, and what its end means. Who runs one, and when, is the
// business of its callers. It starts nothing, and reads no file.
package hooks

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"confit/config"
	"confit/linker"
	"confit/process"
)

// Hook is a hook as messages name it: validate "nginx -t".
type Hook struct {
	Name    string
	Command []string
	Timeout time.Duration // how long it may run
}

// New is a hook by that name, which may run for a time.
func New(name string, command []string, timeout time.Duration) Hook {
	return Hook{name, command, timeout}
}

// Validate is the hook that checks a candidate.
func Validate(c *config.Config) Hook { return New("validate", c.Validate, c.HookTimeout) }

// Failure is why the hook failed, or nil. One that was killed at its deadline did.
func (h Hook) Failure(s process.Status, expired bool) error {
	switch {
	case expired:
		return h.Errorf("was killed after %v", h.Timeout)
	case !s.Success():
		return h.Errorf("ended with %v", s)
	}
	return nil
}

// maxNamed bounds how much of a command a message names, in bytes. --check prints all of it.
const maxNamed = 100

// Errorf makes an error that names the hook, with one argument as [fmt.Errorf] takes it.
func (h Hook) Errorf(format string, arg any) error {
	command := config.JoinWords(h.Command)
	if len(command) > maxNamed {
		command = strings.ToValidUTF8(command[:maxNamed], "") + "…"
	}
	return fmt.Errorf("%s %q "+format, h.Name, command, arg)
}

// ReadsCandidate reports whether the hook names the candidate's directory. Then it needs nothing
// that is visible to the app.
func (h Hook) ReadsCandidate() bool {
	return slices.ContainsFunc(h.Command, func(w string) bool { return strings.Contains(w, config.Placeholder) })
}

// CommandFor is how a hook is started, in the surroundings of the app, with the candidate's
// directories in the placeholders' places, the variables of the generation, those that say what the
// hook is about, and more, NAME=VALUE.
func CommandFor(app process.Command, words []string, about linker.Candidate, more []string) process.Command {
	c := WithVariables(app, about.Generation)
	c.Env = append(slices.Clone(c.Env),
		config.CandidateVariable+"="+about.Dir,
		fmt.Sprintf("%s=%d", config.GenerationVariable, about.Number),
		config.ChangedVariable+"="+listOf(strings.Join(Keys(about.Changes), "\n")),
		config.LocalVariable+"="+listOf(about.Local))
	c.Args = slices.Clone(words)
	place := func(name, dir string) {
		for i, w := range c.Args {
			c.Args[i] = strings.ReplaceAll(w, name, dir)
		}
	}
	if about.Unrendered {
		c.Env = append(c.Env, config.RenderedVariable+"="+about.RenderDir())
		place(linker.Rendered, about.RenderDir())
	}
	place(config.Placeholder, about.Dir)
	c.Env = append(c.Env, more...)
	return c
}

// Keys names what changed.
func Keys(changes []linker.Change) []string {
	list := []string{}
	for _, c := range changes {
		list = append(list, string(c.Key))
	}
	return list
}

// WithVariables gives a command the variables of a generation.
func WithVariables(c process.Command, g linker.Generation) process.Command {
	if g.Env != nil {
		c.Vars = g.Env.Variables
	}
	return c
}

// maxVariable bounds a list of keys, in bytes: from 128 KiB on (MAX_ARG_STRLEN) execve(2) would
// refuse to start the hook at all.
const maxVariable = 64 << 10

func listOf(keys string) string {
	if len(keys) > maxVariable {
		return ""
	}
	return keys
}

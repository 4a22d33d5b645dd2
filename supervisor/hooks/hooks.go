// Package hooks knows what a hook is told, and what its end means: its words with the directories
// of its candidate in them, its environment, and why it failed. Who runs one, and when, is the
// business of its callers: package supervisor, and package try beside it.
//
// It starts nothing, and reads no file.
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

// Render is the hook that makes files out of the staged keys.
func Render(c *config.Config) Hook { return Hook{"render", c.Render, c.HookTimeout} }

// Validate is the hook that checks a candidate.
func Validate(c *config.Config) Hook { return Hook{"validate", c.Validate, c.HookTimeout} }

// Failure is why the hook failed, or nil. One that was killed at its deadline did.
func (h Hook) Failure(s process.Status, expired bool) error {
	switch {
	case expired:
		return h.Errorf("was killed after %v", h.Timeout)
	case s.Success():
		return nil
	}
	return h.Errorf("ended with %v", s)
}

// maxNamed bounds how much of a command a message names, in bytes. --check
// prints all of it.
const maxNamed = 100

// Errorf makes an error that names the hook, with one argument as [fmt.Errorf] takes it.
func (h Hook) Errorf(format string, arg any) error {
	command := config.JoinWords(h.Command)
	if len(command) > maxNamed {
		command = strings.ToValidUTF8(command[:maxNamed], "") + "…"
	}
	return fmt.Errorf("%s %q "+format, h.Name, command, arg)
}

// ReadsCandidate reports whether the hook names the candidate's directory. Then it
// needs nothing that is visible to the app.
func (h Hook) ReadsCandidate() bool {
	return slices.ContainsFunc(h.Command, func(w string) bool { return strings.Contains(w, config.Placeholder) })
}

// CommandFor is how a hook is started, in the surroundings of the app: with its words, the
// variables of the generation, and what says what the hook is about. more are further
// variables, NAME=VALUE.
func CommandFor(app process.Command, words []string, about linker.Candidate, more []string) process.Command {
	c := WithVariables(app, about.Generation)
	c.Args, c.Env = fill(words, about), append(environ(c.Env, about), more...)
	return c
}

// WithVariables gives a command the variables of a generation.
func WithVariables(c process.Command, g linker.Generation) process.Command {
	if g.Env != nil {
		c.Vars = g.Env.Variables
	}
	return c
}

// Hashes are the variables that name a configuration as every replica names it: the one that
// the hook is about, and the accepted one, "" if there is none.
func Hashes(about, accepted string) []string {
	return []string{config.HashVariable + "=" + about, config.AcceptedVariable + "=" + accepted}
}

// fill puts the candidate's directories in the placeholders' places.
func fill(command []string, c linker.Candidate) []string {
	filled := make([]string, len(command))
	for i, w := range command {
		if c.Unrendered {
			w = strings.ReplaceAll(w, linker.Rendered, c.RenderDir())
		}
		filled[i] = strings.ReplaceAll(w, config.Placeholder, c.Dir)
	}
	return filled
}

// maxVariable bounds a list of keys, in bytes: from 128 KiB on (MAX_ARG_STRLEN)
// execve(2) would refuse to start the hook at all.
const maxVariable = 64 << 10

// environ is the app's environment, and what the hook is about.
func environ(env []string, c linker.Candidate) []string {
	keys := make([]string, len(c.Changes))
	for i, change := range c.Changes {
		keys[i] = string(change.Key)
	}
	if env = slices.Clone(env); c.Unrendered {
		env = append(env, config.RenderedVariable+"="+c.RenderDir())
	}
	return append(env,
		config.CandidateVariable+"="+c.Dir,
		fmt.Sprintf("%s=%d", config.GenerationVariable, c.Number),
		config.ChangedVariable+"="+listOf(strings.Join(keys, "\n")),
		config.LocalVariable+"="+listOf(c.Local))
}

// listOf leaves out a list of keys that is too long.
func listOf(keys string) string {
	if len(keys) > maxVariable {
		return ""
	}
	return keys
}

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

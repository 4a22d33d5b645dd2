package hooks

import (
	"fmt"
	"slices"
	"strings"

	"confit/config"
	"confit/linker"
	"confit/process"
)

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

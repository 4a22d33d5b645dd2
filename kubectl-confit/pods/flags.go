package pods

import (
	"path"
	"regexp"

	"github.com/spf13/pflag"

	corev1 "k8s.io/api/core/v1"
)

// confit's flags, so that it is known where they end. With those of modes confit isn't PID 1 of an app.
var (
	settings = []string{
		"links", "lines", "volumes", "fallback", "state", "view", "settle", "splay", "rescan", "render", "validate", "gate", "report", "hook-timeout",
		"reload", "verify", "verify-timeout", "probation", "soak", "retry", "stop-signal", "stop-timeout", "entrypoint-timeout", "map-signal", "drain-timeout",
		"map-exit", "log-format", "log-level",
	}
	switches       = []string{"allow-disk", "signal-group", "adopt"}
	modes          = []string{"install", "seed", "try"}
	modesBare      = []string{"check", "bake", "optional", "status", "version", "help"}
	expansion      = regexp.MustCompile(`\$\$|\$\([^)]*\)`)
	stateVariable  = "CONFIT_STATE"
	volumeVariable = "CONFIT_VOLUMES"
)

// flagSet has all of them, and keeps what each is given.
func flagSet() *pflag.FlagSet {
	set := pflag.NewFlagSet(program, pflag.ContinueOnError)
	set.SetInterspersed(false)
	set.Usage = func() {}
	for i, names := range [][]string{settings, modes, switches, modesBare} {
		for _, name := range names {
			set.StringArray(name, nil, "")
			if i >= 2 {
				set.Lookup(name).NoOptDefVal = "true"
			}
		}
	}
	return set
}

// readLine reads the words behind confit's own. It says no if this confit does something else than to run an app.
func (c *Container) readLine(line []string) bool {
	set := flagSet()
	if err := set.Parse(c.Expand(line)); err != nil {
		return true // it may be a newer confit, whose flags aren't known here
	}
	for _, names := range [][]string{modes, modesBare} {
		for _, name := range names {
			if set.Changed(name) {
				return false
			}
		}
	}
	flags := len(line) - set.NArg()
	c.Known, c.App = true, line[flags:]
	if set.ArgsLenAtDash() >= 0 {
		flags--
	}
	c.Flags = line[:flags]
	c.Volumes = path.Clean(last(set, "volumes", c.Volumes))
	c.State = last(set, "state", c.State)
	c.where = whereOf(set)
	return true
}

// last is the value of a flag that counts.
func last(set *pflag.FlagSet, name, otherwise string) string {
	if values, err := set.GetStringArray(name); err == nil && len(values) > 0 {
		return values[len(values)-1]
	}
	return otherwise
}

// whereOf are the flags that decide where PID 1's state is. What the environment or the image says, each confit in the
// container finds by itself.
func whereOf(set *pflag.FlagSet) (flags []string) {
	if state := last(set, "state", ""); state != "" {
		return []string{"--state", state}
	}
	for _, name := range []string{"links", "lines"} {
		values, _ := set.GetStringArray(name) // it is one
		for _, v := range values {
			flags = append(flags, "--"+name, v)
		}
	}
	return flags
}

// literals are the variables whose values the spec has.
func literals(c *corev1.Container) map[string]string {
	all := map[string]string{}
	for _, e := range c.Env {
		if e.ValueFrom == nil {
			all[e.Name] = e.Value
		}
	}
	return all
}

// Expand makes of words of the spec what the program gets: the kubelet puts the value of a variable in the place of
// $(NAME), and $ in that of $$. A variable whose value isn't in the spec stays as it is.
func (c *Container) Expand(words []string) []string {
	expanded := make([]string, len(words))
	for i, word := range words {
		expanded[i] = expansion.ReplaceAllStringFunc(word, func(found string) string {
			if found == "$$" {
				return "$"
			}
			if value, known := c.env[found[2:len(found)-1]]; known {
				return value
			}
			return found
		})
	}
	return expanded
}

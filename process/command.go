package process

import (
	"os"
	"slices"
	"strings"
)

// Command is a program to start, with its arguments, environment and working
// directory. An empty Dir is confit's own.
type Command struct {
	Args    []string // the program and its arguments, as main receives them
	Env     []string // KEY=VALUE; its PATH finds the program
	Vars    []string // KEY=VALUE; these win over Env
	Dir     string
	MaxData uint64 // bytes of memory that each process may have, see limitData; 0: as confit itself
}

// Environ is confit's environment, byte for byte. os.Environ leaves out entries that
// are empty or repeat a name; it is for systems without /proc.
func Environ() []string {
	text, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		return os.Environ()
	}
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// environ is the environment of the process: Vars, and what they don't cover of Env.
func (c Command) environ() []string {
	names := namesOf(c.Vars)
	env := slices.DeleteFunc(slices.Clone(c.Env), func(kv string) bool { return names[name(kv)] })
	return append(env, c.Vars...)
}

// Covered lists the names in Env that are also in Vars, which win.
func (c Command) Covered() (covered []string) {
	names := namesOf(c.Vars)
	for _, kv := range c.Env {
		if names[name(kv)] {
			covered = append(covered, name(kv))
		}
	}
	return covered
}

func namesOf(env []string) map[string]bool {
	names := make(map[string]bool, len(env))
	for _, kv := range env {
		names[name(kv)] = true
	}
	return names
}

func name(kv string) string {
	name, _, _ := strings.Cut(kv, "=")
	return name
}

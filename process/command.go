package process

import (
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
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
	covered := map[string]bool{}
	for _, kv := range c.Vars {
		covered[name(kv)] = true
	}
	env := slices.DeleteFunc(slices.Clone(c.Env), func(kv string) bool { return covered[name(kv)] })
	return append(env, c.Vars...)
}

func name(kv string) string {
	name, _, _ := strings.Cut(kv, "=")
	return name
}

// The bounds of execve(2), in bytes: the strings of arguments and environment and
// the pointers to them share a quarter of the stack's limit, but at least 128 KiB
// and at most 6 MiB (bprm_stack_limits of fs/exec.c).
const (
	minSpace = 128 << 10
	maxSpace = 6 << 20
	pointer  = 8
)

// reserve is for what only a hook gets, in bytes: its arguments and the changed keys.
const reserve = 128 << 10

// Space is how many bytes of variables a process can be given beside args and env.
// Each variable counts with its NUL and a pointer.
func Space(args, env []string) int {
	space := maxSpace
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &limit); err == nil {
		space = int(min(maxSpace, max(minSpace, limit.Cur/4)))
	}
	for _, s := range slices.Concat(args, env) {
		space -= len(s) + 1 + pointer
	}
	return max(space-reserve, 1)
}

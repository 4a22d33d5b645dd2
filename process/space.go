package process

import "golang.org/x/sys/unix"

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
	for _, list := range [][]string{args, env} {
		for _, s := range list {
			space -= len(s) + 1 + pointer
		}
	}
	return max(space-reserve, 1)
}

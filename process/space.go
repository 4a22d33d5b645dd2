package process

import "golang.org/x/sys/unix"

// What execve(2) takes, bprm_stack_limits() of fs/exec.c in the kernel: strings
// and pointers of arguments and environment share a quarter of the stack's
// limit, at least 128 KiB and at most 6 MiB.
const (
	leastSpace = 128 << 10
	mostSpace  = 6 << 20
	pointer    = 8
)

// reserve is kept for what a hook is given besides: its own arguments, the
// changed keys, and the becoming in front of it.
const reserve = 128 << 10

// Space is how many bytes of variables a process that confit starts may have
// beside env and args, each counted with its NUL and a pointer.
func Space(args, env []string) int {
	space := mostSpace
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_STACK, &limit); err == nil {
		space = int(min(mostSpace, max(leastSpace, limit.Cur/4)))
	}
	for _, list := range [][]string{args, env} {
		for _, s := range list {
			space -= len(s) + 1 + pointer
		}
	}
	return max(space-reserve, 1)
}

//go:build entry && (amd64 || arm64)

package signals

import "golang.org/x/sys/unix"

// In a binary that build.sh makes, the kernel jumps to entry_*.s instead of the
// Go runtime, which starts by catching every signal and unblocking those that end
// a program. After that nobody could tell any more what confit was started with;
// and in the milliseconds before main subscribes, a TERM would end PID 1 with exit
// code 2 (runtime.dieFromSignal), which the kernel never does to a PID 1 that
// doesn't ask for it. The steps:
//
//  1. note the mask, and block all that can wait
//  2. make the runtime leave HUP, INT, QUIT, ABRT, TERM and the like blocked, too:
//     it never blocks a signal that runtime.sigtable marks as deadly or as the C
//     library's (runtime.blockableSig), so take that mark off
//  3. note where the environment is, and show the runtime one of confit's own
//     (environ.go says why)
//  4. note where the handler is
//
// From then on a signal waits until [Subscribe] lets it in. Nothing else in
// the runtime depends on the mark of a signal that it has no handler for.

// heldAtEntry is blocked at once. It lacks the signals of faults, as the kernel
// ends a process that has them blocked; URG, by which the runtime preempts; and
// the C library's two.
var heldAtEntry = ^set(1<<(unix.SIGILL-1) | 1<<(unix.SIGTRAP-1) | 1<<(unix.SIGBUS-1) | 1<<(unix.SIGFPE-1) |
	1<<(unix.SIGSEGV-1) | 1<<(unix.SIGSYS-1) | 1<<(unix.SIGURG-1) | 1<<(32-1) | 1<<(33-1))

// patient are the entries of runtime.sigtable that become _SigNotify alone, as
// USR1 is. The flags are 1 _SigNotify, 2 _SigKill, 4 _SigThrow, 64 _SigSetStack,
// 128 _SigUnblock and 256 _SigIgn. An entry is changed only if its flags and the
// length of its name are those of Go 1.26. With another Go nothing breaks: the
// milliseconds are as dangerous as without an entry point, and
// TestPID1_entry_point_fits_this_Go fails. A place of 0 ends the list.
var patient = [...]struct{ place, flags, name uint64 }{
	{1 * entrySize, 1 + 2, uint64(len("SIGHUP: terminal line hangup"))},
	{2 * entrySize, 1 + 2, uint64(len("SIGINT: interrupt"))},
	{3 * entrySize, 1 + 4, uint64(len("SIGQUIT: quit"))},
	{6 * entrySize, 1 + 4, uint64(len("SIGABRT: abort"))},
	{15 * entrySize, 1 + 2, uint64(len("SIGTERM: termination"))},
	{16 * entrySize, 4 + 128, uint64(len("SIGSTKFLT: stack fault"))},
	{17 * entrySize, 1 + 128 + 256, uint64(len("SIGCHLD: child status has changed"))}, // not before a TERM that came first
	{34 * entrySize, 64 + 128, uint64(len("signal 34"))},                              // RTMIN: musl's, golang/go#39343
	{},
}

// entrySize is that of the runtime's {flags int32; name string}.
const entrySize = 24

// oneProcessor is what the runtime sees in place of the first variable of the
// environment. So it begins with the one processor that package process would
// leave it, and needn't stop for the change.
var oneProcessor = [...]byte{'G', 'O', 'M', 'A', 'X', 'P', 'R', 'O', 'C', 'S', '=', '1', 0}

// nothing is the empty string that it sees in place of each other one.
var nothing uint64

// onlyChild is the set that holds CHLD, for the handler.
var onlyChild set = 1 << (unix.SIGCHLD - 1)

//go:build entry && (amd64 || arm64)

package signals

// The entry point: entry_*.s is what the kernel jumps to, in front of the Go
// runtime, in a binary that build.sh makes. The runtime starts by catching
// every signal and unblocking those that end a program. So what confit was
// started with could not be found out later; and in the milliseconds before
// main subscribes, a TERM would end PID 1 with exit code 2
// (runtime.dieFromSignal), which the kernel never does to a PID 1 that doesn't
// ask for it. The steps:
//
//  1. note which signals are ignored
//  2. note the mask, and block all that can wait
//  3. make the runtime leave HUP, INT, QUIT, ABRT, TERM and the like blocked,
//     too: it never blocks what is marked as deadly, or as the C library's, in
//     runtime.sigtable (runtime.blockableSig), so that mark is taken off
//  4. note where the environment is, and show the runtime an empty one
//     (environ.go says why)
//  5. note where the handler is
//
// From then on a signal waits until [Subscribe] lets it in. Nothing else in
// the runtime depends on the mark of a signal that it has no handler for.

// action is room for the kernel's struct sigaction, rt_sigaction(2).
var action [4]uint64

// heldAtEntry is blocked at once: all but what a fault raises, for which the
// kernel would end a confit that has it blocked, URG, by which the runtime
// preempts, and the C library's two.
var heldAtEntry = ^uint64(1<<(4-1) | 1<<(5-1) | 1<<(7-1) | 1<<(8-1) | 1<<(11-1) | 1<<(31-1) | // ILL TRAP BUS FPE SEGV SYS
	1<<(23-1) | 1<<(32-1) | 1<<(33-1))

// patient are the entries of runtime.sigtable that become _SigNotify alone, as
// USR1 is. An entry is changed only if it looks as in Go 1.26, by its flags (1
// is _SigNotify, 2 _SigKill, 4 _SigThrow, 64 _SigSetStack, 128 _SigUnblock, 256 _SigIgn) and
// the length of its name: with another Go the milliseconds stay as they are
// without an entry point, and nothing breaks. A test fails then:
// TestPID1_entry_point_fits_this_Go. A place of 0 ends the list.
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

// nothing is what each variable of the environment is to the runtime: an empty
// string.
var nothing uint64

// onlyChild is the set that holds CHLD, for the handler.
var onlyChild uint64 = 1 << (17 - 1)

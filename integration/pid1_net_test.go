package integration

import (
	"os"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/markdown"
)

// promise is what confit owes the app for a signal that somebody sends to confit.
type promise int

const (
	unsent   promise = iota // nobody can catch it, or it may end confit
	each                    // every one that is sent after the one before was counted reaches the app, once
	stop                    // the same, as the stop signal
	withheld                // the app never gets it
	late                    // it reaches the app with the next other signal
)

// row is what confit promises of some signals.
type row struct {
	promise promise
	plain   promise // of the build without the entry point
	signals []syscall.Signal
	because string // it isn't forwarded
}

// promises has each signal once. How many of a burst arrive isn't promised: a standard signal that is pending is one, however often it
// is sent (signal(7)), and on the way through os/signal a real-time one is, too. Of a flood the last one counts: the app gets one that
// is no older.
var promises = []row{
	{each, each, []syscall.Signal{
		unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGWINCH, unix.SIGVTALRM, unix.SIGIO, unix.SIGPWR,
		unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU, unix.SIGCONT, unix.SIGABRT, unix.SIGSTKFLT, unix.SIGXCPU, unix.SIGXFSZ,
		unix.SIGILL, unix.SIGTRAP, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV, unix.SIGSYS,
	}, ""},
	{each, each, through(35, 64), ""},
	{stop, stop, []syscall.Signal{unix.SIGTERM}, ""},
	{each, unsent, []syscall.Signal{34}, "without the entry point it is as 32: the Go runtime leaves it to musl"},
	// The known case. The Go runtime unblocks PROF on each of its threads, so that a thread may take it which doesn't wake the loop.
	{late, withheld, []syscall.Signal{unix.SIGPROF}, "the Go runtime has it for its profiler"},
	{withheld, withheld, []syscall.Signal{unix.SIGURG}, "the Go runtime sends it to itself"},
	{withheld, withheld, []syscall.Signal{unix.SIGPIPE}, "one that confit's own write raises looks the same"},
	{withheld, withheld, []syscall.Signal{unix.SIGCHLD}, "the kernel tells of confit's children by it"},
	// The kernel drops what a PID 1 doesn't catch, but not in the moment in which the first thread has it blocked and another has not:
	// there it ends confit (complete_signal in the kernel's signal.c). Each handler of the Go runtime makes such a moment.
	{unsent, unsent, []syscall.Signal{32, 33}, "the Go runtime leaves them to the C library, which has them for its threads"},
	{unsent, unsent, []syscall.Signal{unix.SIGKILL, unix.SIGSTOP}, "the kernel acts on them itself"},
}

func through(first, last syscall.Signal) (list []syscall.Signal) {
	for sig := first; sig <= last; sig++ {
		list = append(list, sig)
	}
	return list
}

// promised are the signals of which a build promises this.
func promised(program string, what promise) (list []syscall.Signal) {
	for _, r := range promises {
		if program == programs.shipped && r.promise == what || program != programs.shipped && r.plain == what {
			list = append(list, r.signals...)
		}
	}
	return list
}

// The table has each signal once, with a reason where one isn't promised, and docs/reference.md says the same of it.
func TestPID1_net_has_each_signal(t *testing.T) {
	page, err := os.ReadFile("../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	forwarded := map[syscall.Signal]bool{}
	for _, cells := range markdown.Rows(markdown.Section(string(page), "## Signals")) {
		for name := range strings.SplitSeq(cells[0], ", ") {
			if name == "RTMIN to RTMAX" {
				for _, sig := range through(34, 64) {
					forwarded[sig] = cells[1] == "yes"
				}
				continue
			}
			forwarded[unix.SignalNum("SIG"+name)] = cells[1] == "yes"
		}
	}
	rows := map[syscall.Signal]int{}
	for _, r := range promises {
		if (r.promise == each && r.plain == each || r.promise == stop) != (r.because == "") {
			t.Errorf("a promise needs no reason, and what isn't promised needs one: %v", r)
		}
		for _, sig := range r.signals {
			rows[sig]++
			if want := r.promise == each || r.promise == late; forwarded[sig] != want {
				t.Errorf("the page says of %v that it is forwarded: %v, want %v", sig, forwarded[sig], want)
			}
		}
	}
	for sig := syscall.Signal(1); sig <= 64; sig++ {
		if rows[sig] != 1 {
			t.Errorf("%d rows have %v, want 1", rows[sig], sig)
		}
	}
}

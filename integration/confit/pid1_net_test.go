package confit

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
)

// row is what confit promises of some signals.
type row struct {
	promise promise
	signals []syscall.Signal
	because string // it isn't forwarded
}

// promises has each signal once. How many of a burst arrive isn't promised: a standard signal that is pending is one, however often it
// is sent (signal(7)), and on the way through confit a real-time one is, too. Of a flood the last one counts: the app gets one that
// is no older.
var promises = []row{
	{each, []syscall.Signal{
		unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2, unix.SIGALRM, unix.SIGWINCH, unix.SIGVTALRM, unix.SIGIO, unix.SIGPWR,
		unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU, unix.SIGCONT, unix.SIGABRT, unix.SIGSTKFLT,
		unix.SIGILL, unix.SIGTRAP, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV, unix.SIGSYS,
	}, ""},
	{each, through(35, 64), ""},
	{stop, []syscall.Signal{unix.SIGTERM}, ""},
	{withheld, []syscall.Signal{unix.SIGPROF}, "the Go runtime has it for its profiler"},
	{withheld, []syscall.Signal{unix.SIGURG}, "the Go runtime sends it to itself"},
	{withheld, []syscall.Signal{unix.SIGPIPE}, "one that confit's own write raises looks the same"},
	{withheld, []syscall.Signal{unix.SIGXCPU, unix.SIGXFSZ}, "those that the kernel sends for confit's own time and files look the same"},
	{withheld, []syscall.Signal{unix.SIGCHLD}, "the kernel tells of confit's children by it"},
	// The kernel drops what a PID 1 doesn't catch, but not in the moment in which the first thread has it blocked and another has not:
	// there it ends confit (complete_signal in the kernel's signal.c). Each handler of the Go runtime makes such a moment.
	{unsent, []syscall.Signal{32, 33, 34}, "the Go runtime leaves them to C libraries, which have them for their threads"},
	{unsent, []syscall.Signal{unix.SIGKILL, unix.SIGSTOP}, "the kernel acts on them itself"},
}

func through(first, last syscall.Signal) (list []syscall.Signal) {
	for sig := first; sig <= last; sig++ {
		list = append(list, sig)
	}
	return list
}

// promised are the signals of which confit promises this.
func promised(what promise) (list []syscall.Signal) {
	for _, r := range promises {
		if r.promise == what {
			list = append(list, r.signals...)
		}
	}
	return list
}

// The table has each signal once, with a reason where one isn't promised, and docs/reference.md says the same of it.
func TestPID1_net_has_each_signal(t *testing.T) {
	page, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	forwarded := map[syscall.Signal]bool{}
	for _, cells := range markdown.Rows(markdown.Section(string(page), "## Signals")) {
		for name := range strings.SplitSeq(cells[0], ", ") {
			if name == "RTMIN+1 to RTMAX" {
				for _, sig := range through(35, 64) {
					forwarded[sig] = cells[1] == "yes"
				}
				continue
			}
			forwarded[unix.SignalNum("SIG"+name)] = cells[1] == "yes"
		}
	}
	rows := map[syscall.Signal]int{}
	for _, r := range promises {
		if (r.promise == each || r.promise == stop) != (r.because == "") {
			t.Errorf("a promise needs no reason, and what isn't promised needs one: %v", r)
		}
		for _, sig := range r.signals {
			rows[sig]++
			if want := r.promise == each; forwarded[sig] != want {
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

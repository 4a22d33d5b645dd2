// Package signals knows signals: their names and numbers, which of them confit passes on, and what
// a process does with the ones it is sent.
//
// It guarantees that it reads each name that it prints; that an [Inbox] receives before the first
// process is started, and tells of the end of a child beside a flood of signals; and that confit
// ignores no signal but a HUP or INT that it was started with ignored, as an app inherits that
// (golang/go#46321).
//
// It knows nothing of files, generations or policy: package supervisor decides which process is
// sent which signal, and when.
package signals

import (
	"cmp"
	"fmt"
	"math/bits"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// Signal is a signal's number, as os/signal and kill(2) take it.
type Signal = syscall.Signal

// The signals that have a meaning of their own to confit.
const (
	CONT = unix.SIGCONT // go on
	HUP  = unix.SIGHUP  // read your configuration again
	INT  = unix.SIGINT  // stop, from the keyboard; of some images, from the platform
	QUIT = unix.SIGQUIT // the same, from both
	PIPE = unix.SIGPIPE // the reader has closed the pipe
	TERM = unix.SIGTERM // the platform asks to stop
	KILL = unix.SIGKILL // end at once
	USR1 = unix.SIGUSR1 // what the app says: open your log again, most often
	USR2 = unix.SIGUSR2 // the same
)

// MayStop reports a signal that an image may name as its STOPSIGNAL: any but HUP, by which programs
// reload, and those of job control.
func MayStop(sig Signal) bool {
	return !slices.Contains([]Signal{HUP, CONT, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU}, sig)
}

// Catchable reports a signal that a process can catch: signal(7).
func Catchable(sig Signal) bool { return sig != unix.SIGKILL && sig != unix.SIGSTOP }

// rtMin and rtMax are the first and the last real-time signal of a program. The kernel's begin at
// 32; the C library uses two itself, signal(7).
const (
	rtMin Signal = 34
	rtMax Signal = 64
)

// secondNames are those of signal(7).
var secondNames = map[string]string{"CLD": "CHLD", "IOT": "ABRT", "POLL": "IO"}

// Parse reads a signal's name or number: TERM, SIGTERM, sigterm, 15, RTMIN, RTMIN+3 or RTMAX-1. Its
// error says what to write instead.
func Parse(name string) (Signal, error) {
	s := strings.TrimPrefix(strings.ToUpper(name), "SIG")
	if n, err := strconv.Atoi(s); err == nil {
		sig := Signal(n)
		if sig < 1 || sig > rtMax || (sig > unix.SIGSYS && sig < rtMin) {
			return 0, fmt.Errorf(
				"%q is not a signal: write a number from 1 to 31 or from %d to %d, or a name such as TERM",
				name, rtMin, rtMax)
		}
		return sig, nil
	}
	if sig, ok := parseRealTime(s); ok {
		return sig, nil
	}
	if sig := unix.SignalNum("SIG" + cmp.Or(secondNames[s], s)); sig != 0 {
		return sig, nil
	}
	return 0, fmt.Errorf("%q is not a signal: write a name such as TERM, HUP or RTMIN+1, or a number from 1 to %d",
		name, rtMax)
}

// parseRealTime reads RTMIN, RTMIN+n, RTMAX-n and RTMAX.
func parseRealTime(s string) (Signal, bool) {
	name, offset := s, 0
	if at := strings.IndexAny(s, "+-"); at >= 0 {
		n, err := strconv.Atoi(s[at:])
		if err != nil {
			return 0, false
		}
		name, offset = s[:at], n
	}
	from, known := map[string]Signal{"RTMIN": rtMin, "RTMAX": rtMax}[name]
	sig := from + Signal(offset)
	return sig, known && sig >= rtMin && sig <= rtMax
}

// Name is the signal's name without SIG, as kill(1) prints it: TERM, RTMIN+3.
func Name(sig Signal) string {
	name := unix.SignalName(sig)
	switch {
	case sig == rtMin:
		return "RTMIN"
	case sig > rtMin && sig <= rtMax:
		return fmt.Sprintf("RTMIN+%d", sig-rtMin)
	case name == "":
		return strconv.Itoa(int(sig))
	}
	return strings.TrimPrefix(name, "SIG")
}

// EndsByDefault reports whether the signal's default action ends a process, with or without a core:
// the table in signal(7). Every real-time signal does.
func EndsByDefault(sig Signal) bool {
	return !slices.Contains([]Signal{
		unix.SIGCHLD, unix.SIGURG, unix.SIGWINCH, CONT, unix.SIGSTOP, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU,
	}, sig)
}

// Typed reports whether a terminal sends the signal to end what runs on it: ^C and ^\, termios(3).
func Typed(sig Signal) bool { return sig == INT || sig == QUIT }

// forwarded lists the signals that confit passes on to the app. HUP and INT stay ignored if they
// were when confit was started, as by nohup(1), and a child inherits that. Other signals the Go
// runtime catches, so they have their default action in a child (execve(2)).
func forwarded() []os.Signal {
	var list []os.Signal
	for sig := Signal(1); sig <= rtMax; sig++ {
		switch sig {
		case unix.SIGKILL, unix.SIGSTOP: // can't be caught, signal(7)
		case TERM, unix.SIGCHLD, unix.SIGURG: // see Subscribe
		case unix.SIGPIPE, unix.SIGXFSZ, unix.SIGXCPU: // see ownDoing
		case unix.SIGPROF: // for the runtime's profiler (runtime.sighandler)
		case 32, 33, rtMin: // the C library's own, nptl(7), and musl's (golang/go#39343)
		default:
			if sig != HUP && sig != INT || !signal.Ignored(sig) {
				list = append(list, sig)
			}
		}
	}
	return list
}

// WithoutSignals calls do on a thread that takes no signals meanwhile. The kernel hands a signal to
// any thread that doesn't block it, and the handler waits for the end of a system call, which may
// never come, as for a volume on a network. A terminal doesn't stop the thread by TTOU, either. do
// must start no process: that would inherit the mask.
func WithoutSignals(do func() error) error {
	runtime.LockOSThread() // the mask is a thread's
	defer runtime.UnlockOSThread()
	var own unix.Sigset_t
	_ = unix.PthreadSigmask(unix.SIG_BLOCK, &blockable, &own)
	defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &own, nil) }()
	return do()
}

// PanicAsError is do, but that a panic of do is an error: it is not the end of PID 1.
func PanicAsError(do func() error) func() error {
	return func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("panic: %v\n%s", p, debug.Stack())
			}
		}()
		return do()
	}
}

// blockable are all signals but those of faults, which end a process that blocks them; URG, by
// which the runtime preempts; and the C libraries'.
var blockable = func() (mask unix.Sigset_t) {
	for sig := Signal(1); sig <= rtMax; sig++ {
		if !slices.Contains([]Signal{
			unix.SIGILL, unix.SIGTRAP, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV, unix.SIGSYS, unix.SIGURG, 32, 33, rtMin,
		}, sig) {
			mask.Val[(sig-1)/bits.UintSize] |= 1 << ((sig - 1) % bits.UintSize)
		}
	}
	return mask
}()

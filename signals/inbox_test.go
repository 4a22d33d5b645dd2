package signals

import (
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestForwarded: every signal but TERM, those that can't be caught, the runtime's
// own, the death of children, what the kernel raises for confit's own doing, and the C libraries' three.
func TestForwarded(t *testing.T) {
	t.Parallel()
	var want []os.Signal
	for _, sig := range everySignal() {
		kept := []Signal{TERM, unix.SIGKILL, unix.SIGSTOP, unix.SIGCHLD, unix.SIGURG, unix.SIGPIPE, unix.SIGPROF, rtMin, unix.SIGXFSZ, unix.SIGXCPU}
		if !slices.Contains(kept, sig) && !libraryOwn(sig) {
			want = append(want, sig)
		}
	}
	if got := forwarded(); !slices.Equal(got, want) {
		t.Errorf("forwarded %v, want %v", got, want)
	}
	if len(want) != 52 {
		t.Errorf("%d signals are forwarded", len(want))
	}
}

// inbox subscribes and prints what comes in, until its standard input ends.
func inbox() {
	in := Subscribe()
	end := make(chan struct{})
	go func() {
		_, _ = io.ReadAll(os.Stdin)
		close(end)
	}()
	fmt.Println("ready")
	for {
		select {
		case <-end:
			return
		case <-in.Children:
			fmt.Println("child")
		case <-in.Hints():
			for sig, ok := in.Receive(); ok; sig, ok = in.Receive() {
				fmt.Println(Name(sig))
			}
		}
	}
}

// TestSubscribe sends a real process each signal that can be caught. The process
// says what it got, one at a time. If it got nothing of one, it says the next. CHLD comes first,
// as with each other signal it looks at its children, too.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	c := begin(t, asRole("inbox"))
	for _, sig := range append([]Signal{unix.SIGCHLD}, everySignal()...) {
		if uncatchable(sig) || libraryOwn(sig) || sig == rtMin { // which ends a Go program
			continue
		}
		if err := c.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		switch sig {
		case unix.SIGCHLD:
			c.says(t, "child")
		case unix.SIGURG, unix.SIGPIPE, unix.SIGXFSZ, unix.SIGXCPU: // nothing comes
		case unix.SIGPROF: // nor of this: the runtime takes it for its profiler, whoever sent it
		default:
			for c.lines.Scan() && c.lines.Text() == "child" {
			}
			if got := c.lines.Text(); got != Name(sig) {
				t.Fatalf("the child says %q, %v, want %q", got, c.lines.Err(), Name(sig))
			}
		}
	}
	wantNothingIgnored(t, c.pid())
}

// wantNothingIgnored: an app would inherit what confit ignores.
func wantNothingIgnored(t *testing.T, pid int) {
	t.Helper()
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		t.Fatal(err)
	}
	own, err := os.ReadFile("/proc/self/status")
	if err != nil {
		t.Fatal(err)
	}
	before, _ := mask(string(own), "SigIgn:") // what the tests were started with
	if after, ok := mask(string(status), "SigIgn:"); !ok || after&^before != 0 {
		t.Errorf("ignored: %#x, by the tests themselves: %#x", after, before)
	}
}

// deaf subscribes and writes to a log that nobody reads any more.
func deaf() {
	Subscribe()
	for range 3 {
		if _, err := os.Stderr.WriteString("x"); !errors.Is(err, unix.EPIPE) {
			os.Exit(9)
		}
	}
}

// TestClosedLog: the SIGPIPE of a write to standard error, which ends other Go
// programs (os/signal), doesn't end confit.
func TestClosedLog(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	defer w.Close()
	cmd := asRole("deaf")
	cmd.Stderr = w
	if err := cmd.Run(); err != nil {
		t.Errorf("the child: %v", err)
	}
}

// TestQueue: each signal waits once, in its place, and a flood of one keeps out no other.
func TestQueue(t *testing.T) {
	t.Parallel()
	q := &queue{wakes: make(chan struct{}, 1)}
	for range 1000 {
		q.put(unix.SIGUSR1)
	}
	q.put(TERM)
	q.put(unix.SIGUSR1)
	q.put(HUP)
	for _, want := range []Signal{unix.SIGUSR1, TERM, HUP} {
		select {
		case <-q.wakes:
		default:
			t.Errorf("nothing hints at %s", Name(want))
		}
		if got, ok := q.Receive(); got != want || !ok {
			t.Errorf("got %s, %v, want %s", Name(got), ok, Name(want))
		}
	}
	if got, ok := q.Receive(); ok || len(q.wakes) > 0 {
		t.Errorf("there is more: %s", Name(got))
	}
}

// TestEndComesLast: what os/signal has handed over by then can be received when a child's
// end is told.
func TestEndComesLast(t *testing.T) {
	t.Parallel()
	q := &queue{wakes: make(chan struct{}, 1)}
	stop, others, died := make(chan os.Signal, 1), make(chan os.Signal, room), make(chan os.Signal)
	children := make(chan struct{})
	go q.fill(stop, others, died, children)
	for range 1000 {
		stop <- TERM
		others <- HUP
		died <- unix.SIGCHLD
		died <- unix.SIGCHLD // it is taken once the first one was told
		seen := map[Signal]bool{}
		for sig, ok := q.Receive(); ok; sig, ok = q.Receive() {
			seen[sig] = true
		}
		if !seen[TERM] || !seen[HUP] {
			t.Fatalf("before the end came %v", seen)
		}
	}
}

// TestWithoutSignals: meanwhile this thread blocks what may be sent, and no fault; then it is as before.
func TestWithoutSignals(t *testing.T) {
	t.Parallel()
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	blocked := func() set {
		status, err := os.ReadFile("/proc/thread-self/status")
		m, ok := mask(string(status), "SigBlk:")
		if err != nil || !ok {
			t.Fatal("no SigBlk")
		}
		return m
	}
	before, failure := blocked(), errors.New("x")
	if err := WithoutSignals(func() error {
		for _, sig := range everySignal() {
			want := !uncatchable(sig) && !libraryOwn(sig) && !slices.Contains(
				[]Signal{unix.SIGILL, unix.SIGTRAP, unix.SIGBUS, unix.SIGFPE, unix.SIGSEGV, unix.SIGSYS, unix.SIGURG, rtMin}, sig)
			if got := blocked().has(sig); got != (want || before.has(sig)) {
				t.Errorf("%s is blocked: %v", Name(sig), got)
			}
		}
		return failure
	}); err != failure {
		t.Error(err)
	}
	if after := blocked(); after != before {
		t.Errorf("blocked after it: %#x, before: %#x", after, before)
	}
}

package signals

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestForwarded: every signal but those that can't be caught, the runtime's
// own, the death of children, a closed log pipe, and the C library's two.
func TestForwarded(t *testing.T) {
	t.Parallel()
	var want []os.Signal
	for _, sig := range everySignal() {
		kept := []Signal{unix.SIGKILL, unix.SIGSTOP, unix.SIGCHLD, unix.SIGURG, unix.SIGPIPE}
		if !slices.Contains(kept, sig) && !libraryOwn(sig) {
			want = append(want, sig)
		}
	}
	if got := forwarded(); !slices.Equal(got, want) {
		t.Errorf("forwarded %v, want %v", got, want)
	}
	if len(want) != 57 {
		t.Errorf("%d signals are forwarded", len(want))
	}
}

// inbox subscribes and prints what comes in, until its standard input ends.
func inbox() {
	in, err := Subscribe()
	must(err)
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
// says what it got, one at a time. If it got nothing of one, it says the next.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	c := begin(t, asRole("inbox"))
	for _, sig := range everySignal() {
		if uncatchable(sig) || libraryOwn(sig) || sig == rtMin { // without an entry point, as here, RTMIN ends a Go program
			continue
		}
		if err := c.cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		switch sig {
		case unix.SIGCHLD:
			c.says(t, "child")
		case unix.SIGURG, unix.SIGPIPE: // nothing comes
		case unix.SIGPROF: // nor of this: the runtime takes it for its profiler, whoever sent it
		default:
			c.says(t, Name(sig))
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
	_, err := Subscribe()
	must(err)
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

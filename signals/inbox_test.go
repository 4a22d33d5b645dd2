package signals

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
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
		case sig := <-in.Others:
			fmt.Println(Name(sig.(Signal)))
		}
	}
}

// TestSubscribe sends a real process each signal that can be caught. It says
// what it got, one at a time: a signal that isn't passed on is known by the
// next one's coming in its place.
func TestSubscribe(t *testing.T) {
	t.Parallel()
	cmd := asRole("inbox")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(out)
	wantLine(t, lines, "ready")
	for _, sig := range everySignal() {
		if uncatchable(sig) || libraryOwn(sig) {
			continue
		}
		if err := cmd.Process.Signal(sig); err != nil {
			t.Fatal(err)
		}
		switch sig {
		case unix.SIGCHLD:
			wantLine(t, lines, "child")
		case unix.SIGURG, unix.SIGPIPE: // nothing comes
		default:
			wantLine(t, lines, Name(sig))
		}
	}
	wantNothingIgnored(t, cmd.Process.Pid)
	in.Close()
	if err := cmd.Wait(); err != nil {
		t.Errorf("the child: %v", err)
	}
}

func wantLine(t *testing.T, lines *bufio.Scanner, want string) {
	t.Helper()
	if lines.Scan(); lines.Text() != want {
		t.Fatalf("the child says %q, %v, want %q", lines.Text(), lines.Err(), want)
	}
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
	before, _ := mask(own, "SigIgn:") // what the tests were started with
	if after, ok := mask(status, "SigIgn:"); !ok || after&^before != 0 {
		t.Errorf("ignored: %x, of the tests %x; %s", after, before, strings.TrimSpace(string(status)))
	}
}

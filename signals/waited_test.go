package signals

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"time"
)

// waits is testdata/waits.c as a program.
var waits = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "waits-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "waits")
	out, err := exec.Command("cc", "-O1", "-pthread", "-o", path, "testdata/waits.c").CombinedOutput()
	_, _ = os.Stderr.Write(out)
	return path, err
})

func waiter(t *testing.T, how string) *exec.Cmd {
	t.Helper()
	path, err := waits()
	if err != nil {
		t.Fatal(err)
	}
	return exec.Command(path, how)
}

// TestWaited is the table of what the kernel shows of each thread, and what
// HUP then does. The thread that leaves at the end of the standard input is
// among them.
func TestWaited(t *testing.T) {
	t.Parallel()
	for how, tt := range map[string]struct {
		threads string // in any order, see taker
		want    Disposition
		dies    bool
	}{
		"sigwait":      {"bw", Waited, false},
		"sigtimedwait": {"bw", Waited, false},
		"signalfd":     {"bb", Waited, false},
		"leader_gone":  {"bw", Waited, false}, // a leader that has ended is a zombie, with its last mask
		"blocked":      {"bb", Waited, false}, // it only looks so: Pending tells
		"one_open":     {"bow", Default, true},
		"open_thread":  {"bow", Default, false}, // its leader is asked first; but not while it does something else than wait
		"another":      {"bo", Default, true},   // in sigwait, but not for HUP
		"nothing":      {"oo", Default, true},
		"handler":      {"bo", Caught, false}, // by sigsuspend(2)
		"ignored":      {"bb", Ignored, false},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			c := begin(t, waiter(t, how))
			poll(t, "threads "+tt.threads, func() bool { return sorted(takers(c.pid(), HUP)) == tt.threads })
			if got := DispositionOf(c.pid(), HUP); got != tt.want {
				t.Errorf("HUP is %v, want %v", got, tt.want)
			}
			sent(t, c, how, tt.dies)
		})
	}
}

// sent is what HUP really does.
func sent(t *testing.T, c *child, how string, dies bool) {
	t.Helper()
	if err := c.cmd.Process.Signal(HUP); err != nil {
		t.Fatal(err)
	}
	if dies {
		c.diesOf = HUP
		poll(t, "its end", func() bool { return field(statusOf(c.pid()), "State:") == "Z (zombie)" })
		return
	}
	stays := how == "blocked" || how == "ignored" // what is blocked is kept, also when it is ignored (sig_ignored of kernel/signal.c)
	if !stays {
		c.says(t, "took HUP")
	}
	if pending, ok := Pending(c.pid(), HUP); !ok || pending != stays {
		t.Errorf("pending: %v, %v", pending, ok)
	}
}

// TestWaitedInherited: whatever confit starts blocks the signals that confit was
// started with blocked.
func TestWaitedInherited(t *testing.T) {
	t.Parallel()
	cmd := waiter(t, "nothing")
	cmd.Path, cmd.Args = "/usr/bin/env", append([]string{"env", "--block-signal=HUP"}, cmd.Args...)
	pid := begin(t, cmd).pid()
	if got := dispositionOf(pid, HUP, only(HUP)); got != Default {
		t.Errorf("HUP, which confit was started with blocked, is %v", got)
	}
	if got := dispositionOf(pid, HUP, only(TERM)); got != Waited {
		t.Errorf("HUP, which its own program has blocked, is %v", got)
	}
}

// TestPendingOfNobody: nothing is known.
func TestPendingOfNobody(t *testing.T) {
	t.Parallel()
	if pending, ok := Pending(1<<30, HUP); pending || ok {
		t.Errorf("%v, %v", pending, ok)
	}
	if got := takers(1<<30, HUP); len(got) > 0 {
		t.Errorf("threads of nobody: %q", got)
	}
}

// TestWaitedByStranger: a thread into which nobody may look counts as one that
// doesn't wait.
func TestWaitedByStranger(t *testing.T) {
	t.Parallel()
	if set := awaited("/proc/self/task/0"); set != 0 {
		t.Errorf("awaited %#x", set)
	}
	if set := awaited("/proc/thread-self"); set != 0 { // in another call, or running
		t.Errorf("this thread awaits %#x", set)
	}
}

func sorted(list []taker) string {
	slices.Sort(list)
	return string(list)
}

// poll waits for what must become true.
func poll(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

package process

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/testenv"
)

// aloneVar names the test that a process was started for.
const aloneVar = "PROCESS_TEST_ALONE"

// patience bounds every wait. It is long for the sake of a busy machine; no test
// waits for it to pass.
const patience = time.Minute

func TestMain(m *testing.M) {
	testenv.Enter()
	os.Exit(m.Run())
}

// alone runs a test in a process of its own, which is a subreaper: Reap waits for
// any child, and would take the other tests' children from os/exec.
func alone(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	if os.Getenv(aloneVar) == t.Name() {
		if err := BecomeSubreaper(); err != nil {
			t.Fatal(err)
		}
		defer endChildren()
		test(t)
		noChildren(t)
		return
	}
	t.Parallel()
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.count=1", "-test.timeout="+(2*patience).String())
	cmd.Env = append(os.Environ(), aloneVar+"="+t.Name(), "GORACE=atexit_sleep_ms=0") // or it is idle for a second
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// noChildren: every process that was started, and every orphan, has been reaped.
func noChildren(t *testing.T) {
	t.Helper()
	if pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil); err != unix.ECHILD {
		t.Errorf("children are left: pid %d, %v", pid, err)
	}
}

// endChildren leaves nothing behind when a test has failed. A subreaper's
// orphans are its children, too: proc_tid_children(5).
func endChildren() {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		children, _ := os.ReadFile(list)
		for word := range strings.FieldsSeq(string(children)) {
			pid, _ := strconv.Atoi(word)
			_ = Kill(pid, unix.SIGKILL)
		}
	}
}

// nursery keeps a family and what its Reap has handed out.
type nursery struct {
	t      *testing.T
	family *Family
	wake   chan os.Signal
	look   func()
	ended  func(Exit)
	ends   map[int]string // how each pid ended, unless ended is put in its place
}

// newNursery subscribes to SIGCHLD before anything is started.
func newNursery(t *testing.T) *nursery {
	n := &nursery{t: t, family: NewFamily(), wake: make(chan os.Signal, 1), ends: map[int]string{}}
	n.look = func() {}
	n.ended = func(e Exit) { n.ends[e.PID] = e.Status.String() }
	signal.Notify(n.wake, unix.SIGCHLD)
	return n
}

func (n *nursery) app(args ...string) int {
	n.t.Helper()
	pid, err := n.family.StartApp(Command{Args: args, Env: os.Environ()})
	if err != nil {
		n.t.Fatal(err)
	}
	return pid
}

func (n *nursery) hook(out *os.File, args ...string) int {
	n.t.Helper()
	return n.hookOf(out, Command{Args: args, Env: os.Environ()})
}

// hookOf starts a hook that prints to a file of the test.
func (n *nursery) hookOf(out *os.File, c Command) int {
	n.t.Helper()
	h, err := n.family.startHook(c, out)
	if err != nil {
		n.t.Fatal(err)
	}
	return h.pid
}

// talking starts a shell as an app, but with a standard output of its own.
func (n *nursery) talking(w *os.File, script string) int {
	n.t.Helper()
	defer w.Close()
	c := Command{Args: shellScript(script), Env: os.Environ()}
	pid, err := start(c, []uintptr{0, w.Fd(), 2}, &syscall.SysProcAttr{Setpgid: true})
	if err != nil {
		n.t.Fatal(err)
	}
	return pid
}

func (n *nursery) reap() { n.family.Reap(func(int) { n.look() }, n.ended) }

func (n *nursery) wantEnd(pid int, how string) {
	n.t.Helper()
	if n.ends[pid] != how {
		n.t.Errorf("pid %d ended with %q, want %q", pid, n.ends[pid], how)
	}
}

// until reaps at each SIGCHLD, and at nothing else, until the condition holds.
func (n *nursery) until(what string, holds func() bool) {
	n.t.Helper()
	deadline := time.After(patience)
	for !holds() {
		select {
		case <-n.wake:
			n.reap()
		case <-deadline:
			n.t.Fatalf("never: %s", what)
		}
	}
}

// eventually polls for what no signal announces.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for deadline := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("never: %s", what)
		}
	}
}

// pipe is a pipe whose reader doesn't wait for ever.
func pipe(t *testing.T) (r, w *os.File) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return r, w
}

// number reads a line with a number that a child prints.
func number(t *testing.T, r *os.File) int {
	t.Helper()
	n := 0
	if _, err := fmt.Fscanln(r, &n); err != nil { // reads byte by byte: the rest stays in the pipe
		t.Fatal(err)
	}
	return n
}

// shellScript is a command line for sh.
func shellScript(script string) []string { return []string{"sh", "-c", script} }

// copied is a program under another name.
func copied(t *testing.T, program, name string) string {
	t.Helper()
	from, err := os.Open(program)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	path := filepath.Join(t.TempDir(), name)
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

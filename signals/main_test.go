package signals

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/testenv"
)

// roleVar makes the test binary play a process that signals are sent to.
const roleVar = "SIGNALS_TEST_ROLE"

// roles are those processes. Each leaves by itself, at the latest at the end of
// its standard input.
var roles = map[string]func(){
	"suffer": suffer, "dispose": dispose, "spoof": spoof, "inbox": inbox, "deaf": deaf,
}

func TestMain(m *testing.M) {
	role := os.Getenv(roleVar)
	if role == "" {
		testenv.Enter()
		os.Exit(m.Run())
	}
	play, ok := roles[role]
	if !ok {
		must(fmt.Errorf("no role %q", role))
	}
	play()
}

// asRole is the test binary in a role.
func asRole(role string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVar+"="+role, "GORACE=atexit_sleep_ms=0") // or it is idle for a second
	cmd.Stderr = os.Stderr
	return cmd
}

// patience is how long a child may take to say something. It is long for the
// sake of a busy machine; no test waits for it to pass.
const patience = time.Minute

// child is a process that talks in lines.
type child struct {
	cmd   *exec.Cmd
	in    io.Closer // it leaves when this is closed
	lines *bufio.Scanner

	diesOf Signal // what is to end it, or 0
}

// begin starts a child and waits until it says that it is ready. The end of the
// test ends and collects it.
func begin(t *testing.T, cmd *exec.Cmd) *child {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := out.(*os.File).SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	c := &child{cmd: cmd, in: in, lines: bufio.NewScanner(out)}
	t.Cleanup(func() { c.end(t) })
	c.says(t, "ready")
	return c
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// says reads the child's next line.
func (c *child) says(t *testing.T, want string) {
	t.Helper()
	if c.lines.Scan(); c.lines.Text() != want {
		t.Fatalf("the child says %q, %v, want %q", c.lines.Text(), c.lines.Err(), want)
	}
}

func (c *child) end(t *testing.T) {
	_ = c.in.Close()
	if t.Failed() {
		_ = c.cmd.Process.Kill()
	}
	err := c.cmd.Wait()
	if status := c.cmd.ProcessState.Sys().(syscall.WaitStatus); c.diesOf != 0 && status.Signaled() && status.Signal() == c.diesOf {
		return
	}
	if err != nil || c.diesOf != 0 {
		t.Errorf("the child: %v", err)
	}
}

// must ends a role that can't play.
func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(9)
	}
}

// everySignal is 1…64.
func everySignal() []Signal {
	var list []Signal
	for sig := Signal(1); sig <= 64; sig++ {
		list = append(list, sig)
	}
	return list
}

// uncatchable are the signals whose disposition nobody can change, signal(7).
func uncatchable(sig Signal) bool {
	return slices.Contains([]Signal{unix.SIGKILL, unix.SIGSTOP}, sig)
}

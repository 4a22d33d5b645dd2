package notify

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"confit/integration/testenv"
)

// roleVar makes the test binary play a process beside confit, or confit itself
// in another PID namespace.
const roleVar = "NOTIFY_TEST_ROLE"

var roles = map[string]func() error{"send": send, "fork": fork, "listen": listen}

func TestMain(m *testing.M) {
	role := os.Getenv(roleVar)
	if role == "" {
		testenv.Enter()
		os.Exit(m.Run())
	}
	play, ok := roles[role]
	if !ok {
		play = func() error { return fmt.Errorf("no role %q", role) }
	}
	if err := play(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(9)
	}
}

// self is the test binary for every user, as its real path is in a directory of
// root's.
const self = "/proc/self/exe"

// asRole is the test binary in a role.
func asRole(role string, args ...string) *exec.Cmd {
	cmd := exec.Command(self, args...)
	cmd.Env = append(os.Environ(), roleVar+"="+role, "GORACE=atexit_sleep_ms=0") // or it is idle for a second
	cmd.Stderr = os.Stderr
	return cmd
}

// send sends its arguments from the second on to the socket that the first one
// names, and prints its pid.
func send() error {
	for _, text := range os.Args[2:] {
		if err := transmit(os.Args[1], text); err != nil {
			return err
		}
	}
	_, err := fmt.Println(os.Getpid())
	return err
}

// fork has a child send, and leaves before it has ended.
func fork() error {
	cmd := exec.Command(self, os.Args[1:]...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), roleVar+"=send"), os.Stdout, os.Stderr
	return cmd.Start()
}

// over is the status that ends who listens.
const over = "it is over"

// listen is confit: it prints what it receives, until it is over.
func listen() error {
	s, err := Listen(os.Args[1])
	if err != nil {
		return err
	}
	fmt.Println("listening")
	for {
		<-s.Hints()
		for m, ok := s.Receive(); ok; m, ok = s.Receive() {
			fmt.Printf("%+v\n", m)
			if m.Status == over {
				return s.close()
			}
		}
	}
}

// transmit sends one message as a client does, descriptors included. It waits
// while the queue is full.
func transmit(path, text string, descriptors ...int) error {
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_DGRAM|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer func() { _ = syscall.Close(fd) }()
	var control []byte
	if len(descriptors) > 0 {
		control = syscall.UnixRights(descriptors...)
	}
	return syscall.Sendmsg(fd, []byte(text), control, &syscall.SockaddrUnix{Name: path}, 0)
}

// patience is how long a process may take to say something. It is long for the
// sake of a busy machine; no test waits for it to pass.
const patience = time.Minute

// close removes the socket. Confit itself keeps it until its end.
func (s *Socket) close() error { return errors.Join(os.Remove(s.path), s.bound.Load().file.Close()) }

// newSocket listens in a directory that every user may enter.
func newSocket(t *testing.T) *Socket {
	t.Helper()
	dir := t.TempDir()
	for _, path := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s, err := Listen(filepath.Join(dir, "notify"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.close() })
	return s
}

// next waits for a message as confit's loop does.
func next(t *testing.T, s *Socket) Message {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case <-s.Hints():
			if m, ok := s.Receive(); ok {
				return m
			}
		case <-deadline:
			t.Fatal("no message")
		}
	}
}

// number runs a command that prints a pid.
func number(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	out, err := cmd.Output()
	pid := 0
	if _, scanErr := fmt.Sscan(string(out), &pid); err != nil || scanErr != nil {
		t.Fatalf("%v, it said %q", err, out)
	}
	return pid
}

// lines reads what a process prints, and doesn't wait for ever.
func lines(t *testing.T, cmd *exec.Cmd) func(want string) {
	t.Helper()
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = out.(*os.File).SetReadDeadline(time.Now().Add(patience))
	}
	if err != nil {
		t.Fatal(err)
	}
	scanner := bufio.NewScanner(out)
	return func(want string) {
		t.Helper()
		if !scanner.Scan() || !strings.Contains(scanner.Text(), want) {
			t.Fatalf("it said %q, %v, want %q", scanner.Text(), scanner.Err(), want)
		}
	}
}

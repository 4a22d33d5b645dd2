package notify

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestListen: any user may send, and a socket that was left behind gives way.
func TestListen(t *testing.T) {
	old := syscall.Umask(0o077) // so no other test runs beside this one
	defer syscall.Umask(old)
	path := filepath.Join(t.TempDir(), "notify")
	for range 2 {
		s, err := Listen(path)
		if err != nil {
			t.Fatal(err)
		}
		defer s.bound.Load().file.Close()
		if info, err := os.Lstat(path); err != nil || info.Mode() != fs.ModeSocket|0o666 || s.path != path {
			t.Errorf("%v, %v, path %q", info, err, s.path)
		}
	}
}

// TestListenRefused: it removes nothing but a socket.
func TestListenRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := errors.Join(os.WriteFile(file, []byte("mine"), 0o600), os.Symlink("elsewhere", link)); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		file:                            "is in its place: remove it",
		link:                            "is in its place: remove it",
		dir:                             "is in its place: remove it",
		filepath.Join(dir, "no", "dir"): "no such file",
		filepath.Join(dir, strings.Repeat("x", 107-len(dir))): "the path has 108 bytes: choose one of at most 107",
	} {
		_, err := Listen(path)
		if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("cannot listen on %q: ", path)) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if text, err := os.ReadFile(file); string(text) != "mine" {
		t.Errorf("the file holds %q, %v", text, err)
	}
	s, err := Listen(filepath.Join(dir, strings.Repeat("x", 106-len(dir))))
	if err != nil {
		t.Fatalf("a path of 107 bytes: %v", err)
	}
	if err := errors.Join(transmit(s.path, "READY=1"), s.close()); err != nil {
		t.Error(err)
	}
}

// TestReceive: messages come one by one, in order, until none is left.
func TestReceive(t *testing.T) {
	t.Parallel()
	s := newSocket(t)
	if m, ok := s.Receive(); ok {
		t.Errorf("received %+v of nobody", m)
	}
	for _, text := range []string{"RELOADING=1\nSTATUS=a", "", "\x00\xff\n=", "READY=1"} {
		if err := transmit(s.path, text); err != nil {
			t.Fatal(err)
		}
	}
	me := os.Getpid()
	for _, want := range []Message{
		{PID: me, State: Reloading, HasStatus: true, Status: "a"}, {PID: me}, {PID: me}, {PID: me, State: Ready},
	} {
		if m := next(t, s); m != want {
			t.Errorf("%+v, want %+v", m, want)
		}
	}
	if m, ok := s.Receive(); ok {
		t.Errorf("received %+v after all", m)
	}
}

// TestTooLong: a message that is cut says nothing, as the rest could change its
// meaning.
func TestTooLong(t *testing.T) {
	t.Parallel()
	s := newSocket(t)
	for size, want := range map[int]State{maxMessage: Ready, maxMessage + 1: Unsaid, 100_000: Unsaid} {
		text := "READY=1\nX=" + strings.Repeat("x", size)
		if err := transmit(s.path, text[:size]); err != nil {
			t.Fatal(err)
		}
		if m := next(t, s); m.State != want || m.PID != os.Getpid() {
			t.Errorf("%d bytes: %+v, want state %d", size, m, want)
		}
	}
}

// TestSender: the kernel names the sender, be it a child, an orphan or another
// user's process, also when the sender is gone.
func TestSender(t *testing.T) {
	t.Parallel()
	s := newSocket(t)
	stranger := asRole("send", s.path, "READY=1")
	stranger.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	for _, cmd := range []*exec.Cmd{asRole("send", s.path, "READY=1"), asRole("fork", s.path, "READY=1"), stranger} {
		pid := number(t, cmd)
		if m := next(t, s); m != (Message{PID: pid, State: Ready}) {
			t.Errorf("%+v, want pid %d", m, pid)
		}
	}
}

// TestOtherNamespace: a sender whom confit can't see has no pid.
func TestOtherNamespace(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "notify")
	confit := asRole("listen", path)
	confit.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID, Pdeathsig: syscall.SIGKILL}
	says := lines(t, confit)
	if err := confit.Start(); err != nil {
		t.Fatal(err)
	}
	says("listening")
	if err := transmit(path, "READY=1"); err != nil {
		t.Fatal(err)
	}
	says("PID:0 State:1")
	if err := transmit(path, "STATUS="+over); err != nil {
		t.Fatal(err)
	}
	says("PID:0 State:0")
	if err := confit.Wait(); err != nil {
		t.Error(err)
	}
}

// TestBarrier: a descriptor is closed when its message is received, and not before.
// So a sender that still waits knows that confit hasn't looked yet at what it said
// before. No descriptor is kept, however many there are.
func TestBarrier(t *testing.T) {
	t.Parallel()
	for text, copies := range map[string]int{"BARRIER=1": 1, "FDSTORE=1": 253} { // SCM_MAX_FD, unix(7)
		s := newSocket(t)
		r, w, err := os.Pipe()
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		descriptors := make([]int, copies)
		for i := range descriptors {
			descriptors[i] = int(w.Fd())
		}
		if err := errors.Join(transmit(s.path, "READY=1"), transmit(s.path, text, descriptors...), w.Close()); err != nil {
			t.Fatal(err)
		}
		if m := next(t, s); m.State != Ready {
			t.Errorf("%+v", m)
		}
		if err := tryRead(t, r); err != syscall.EAGAIN {
			t.Errorf("%s: %v: the barrier was passed too early", text, err)
		}
		if m := next(t, s); m != (Message{PID: os.Getpid()}) {
			t.Errorf("%+v", m)
		}
		_ = r.SetReadDeadline(time.Now().Add(patience))
		if n, err := r.Read(make([]byte, 1)); err != io.EOF {
			t.Errorf("%s: read %d, %v: somebody holds it open", text, n, err)
		}
	}
}

// tryRead reads from a pipe without waiting.
func tryRead(t *testing.T, r *os.File) (err error) {
	t.Helper()
	conn, connErr := r.SyscallConn()
	if connErr != nil {
		t.Fatal(connErr)
	}
	connErr = conn.Control(func(fd uintptr) { _, err = syscall.Read(int(fd), make([]byte, 1)) })
	if connErr != nil {
		t.Fatal(connErr)
	}
	return err
}

// TestFlood: the sender is faster than confit, and no message is lost or out of
// order.
func TestFlood(t *testing.T) {
	t.Parallel()
	const count = 3000
	s := newSocket(t)
	texts := []string{s.path}
	for i := range count {
		texts = append(texts, fmt.Sprint("STATUS=", i))
	}
	cmd := asRole("send", texts...)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for i := range count {
		if m := next(t, s); m.Status != fmt.Sprint(i) || m.PID != cmd.Process.Pid {
			t.Fatalf("message %d is %+v", i, m)
		}
	}
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

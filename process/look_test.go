package process

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestUnversioned: the names of real daemons.
func TestUnversioned(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"php-fpm8.2": "php-fpm", "python3.11": "python", "ruby3.1": "ruby", "mariadbd": "mariadbd", "java": "java", "nginx": "nginx",
		"apache2": "apache", "stunnel4": "stunnel", "7z": "7z", "redis-server-7": "redis-server", "postgres-15.4": "postgres",
		"haproxy": "haproxy", "php-fpm": "php-fpm", "1.2": "1.2", "busybox": "busybox", "python3": "python", "a-": "a-", "gunicorn": "gunicorn",
	} {
		if got := Unversioned(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

// held runs a program that waits for its standard input, and ends with the test.
func held(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close(); _ = cmd.Wait() })
	return cmd.Process.Pid
}

// TestProgram: a running process keeps its program and its directory, also when
// both are removed.
func TestProgram(t *testing.T) {
	alone(t, func(t *testing.T) { // elsewhere a fork of another test could hold the file open: ETXTBSY
		n := newNursery(t)
		program, dir := copied(t, "/bin/sleep", "sleep8.2"), t.TempDir()
		pid, err := NewFamily().StartApp(Command{Args: []string{program, "300"}, Env: os.Environ(), Dir: dir})
		if err != nil {
			t.Fatal(err)
		}
		wantProgram(t, pid, dir)
		if err := errors.Join(os.Remove(program), os.Remove(dir)); err != nil {
			t.Fatal(err)
		}
		wantProgram(t, pid, dir)
		_ = Kill(pid, syscall.SIGKILL)
		n.until("it has ended", func() bool { return len(n.ends) == 1 })
	})
}

func wantProgram(t *testing.T, pid int, dir string) {
	t.Helper()
	if got := Program(pid); got != "sleep" {
		t.Errorf("the program is %q", got)
	}
	if got := WorkingDirectory(pid); got != dir {
		t.Errorf("it is in %q, want %q", got, dir)
	}
}

// TestProgramOfNobody: nothing is known.
func TestProgramOfNobody(t *testing.T) {
	t.Parallel()
	for _, pid := range []int{1 << 30, 0, -1} {
		w, p := Wrapped(pid)
		if d, h := WorkingDirectory(pid), HasChildOfSameProgram(pid); p != "" || d != "" || w != pid || h {
			t.Errorf("pid %d: %q, %q, %d, %v", pid, p, d, w, h)
		}
	}
}

// TestHasChildOfSameProgram: a shell with a shell below it, and one with
// another program.
func TestHasChildOfSameProgram(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]bool{"(read x) <&0; :": true, "cat; :": false, "(exit 0) & read x": false} {
		pid := held(t, exec.Command("sh", "-c", script))
		eventually(t, script, func() bool { return HasChildOfSameProgram(pid) == want && len(descendants(pid, nobody)) > 0 })
	}
}

// TestWrapped: a program below shells is found, unless there is more than one.
func TestWrapped(t *testing.T) {
	t.Parallel()
	for _, at := range []struct {
		script, want string
		below        int // processes
	}{
		{"exec cat", "cat", 0}, {"read x", "bash", 0}, {"cat; :", "cat", 1}, {"bash -c 'cat; :'; :", "cat", 2}, {"cat <&0 & cat; :", "bash", 2},
		{"perl -e 'system q(cat); 1'; :", "perl", 2},
	} {
		pid := held(t, exec.Command("bash", "-c", at.script))
		eventually(t, at.script, func() bool {
			_, program := Wrapped(pid)
			return len(descendants(pid, nobody)) == at.below && program == at.want
		})
	}
}

// TestReceiver: an init hands signals on to its first child, which may not be its only one; a shell doesn't. A copy of bash stands in for the init.
func TestReceiver(t *testing.T) {
	alone(t, func(t *testing.T) {
		init := copied(t, "/bin/bash", "tini-static")
		for _, at := range []struct {
			script, want string
			below        int // processes
		}{
			{"cat; :", "cat", 1}, {"bash -c 'cat; :'; :", "bash", 2}, {init + " -c 'cat; :'; :", "cat", 2}, {"read x", "tini-static", 0}, {"cat <&0 & cat; :", "cat", 2},
		} {
			t.Run(at.want, func(t *testing.T) {
				pid := held(t, exec.Command(init, "-c", at.script))
				eventually(t, at.script, func() bool {
					_, program := Receiver(pid)
					return len(descendants(pid, nobody)) == at.below && program == at.want
				})
			})
		}
		endChildren() // what a copy left behind at its end
		eventually(t, "all are reaped", func() bool {
			_, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
			return err == unix.ECHILD
		})
	})
}

// TestStarted: what a daemon ran that has gone to the background is known, though it
// has ended before anybody looked.
func TestStarted(t *testing.T) {
	dir := t.TempDir()
	program := copied(t, "/bin/true", "true8.2")
	if err := os.Symlink(program, filepath.Join(dir, "daemon")); err != nil {
		t.Fatal(err)
	}
	for _, c := range []Command{
		{Args: []string{"daemon"}, Env: []string{"PATH=/usr/bin:" + dir}},
		{Args: []string{"./daemon"}, Dir: dir},
	} {
		if got := Started(goneProcess(t), c); got != program {
			t.Errorf("%q ran %q, want %q", c.Args, got, program)
		}
	}
	if got := Started(os.Getpid(), Command{Args: []string{"daemon"}}); got != Executable(os.Getpid()) || got == "" {
		t.Errorf("a process that lives runs %q", got)
	}
}

// goneProcess is the pid of a process that has ended, and was reaped.
func goneProcess(t *testing.T) int {
	t.Helper()
	cmd := exec.Command("true")
	if err := cmd.Run(); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

package process

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestUnversioned: the names of real daemons.
func TestUnversioned(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"php-fpm8.2": "php-fpm", "python3.11": "python", "ruby3.1": "ruby", "mariadbd": "mariadbd", "java": "java", "nginx": "nginx",
		"nginx.old": "nginx", "apache2": "apache", "stunnel4": "stunnel", "7z": "7z", "redis-server-7": "redis-server", "postgres-15.4": "postgres",
		"haproxy": "haproxy", "php-fpm": "php-fpm", "1.2": "1.2", "busybox": "busybox", "python3": "python", "a-": "a-", "gunicorn": "gunicorn",
	} {
		if got := unversioned(name); got != want {
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

// TestProgram: what a running process says of itself, also when its file and its
// directory are gone.
func TestProgram(t *testing.T) {
	alone(t, func(t *testing.T) { // elsewhere a fork of another test could hold the file open: ETXTBSY
		n := newNursery(t)
		program, dir := copied(t, "/bin/sleep", "sleep8.2"), t.TempDir()
		pid, err := StartApp(Command{Args: []string{program, "300"}, Env: os.Environ(), Dir: dir})
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
		if p, d, h := Program(pid), WorkingDirectory(pid), HasChildOfSameProgram(pid); p != "" || d != "" || h {
			t.Errorf("pid %d: %q, %q, %v", pid, p, d, h)
		}
	}
}

// TestHasChildOfSameProgram: a shell with a shell below it, and one with
// another program.
func TestHasChildOfSameProgram(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]bool{"(read x) <&0; :": true, "cat; :": false, "(exit 0) & read x": false} {
		pid := held(t, exec.Command("sh", "-c", script))
		await(t, script, func() bool { return HasChildOfSameProgram(pid) == want && len(descendants(pid)) > 0 })
	}
}

// TestEndHook: a hook is killed with its group, and one that was reaped isn't,
// even if somebody has its number.
func TestEndHook(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		r, w := pipe(t)
		hook := n.hook(w, shellScript("sleep 300 & echo 1; wait")...)
		w.Close()
		number(t, r)
		n.family.EndHook(hook)
		n.until("both have ended", func() bool { return len(n.ends) == 2 })
		n.wantEnd(hook, "signal 9")

		// A group of that number can't be made at will, so another's takes its part: nothing but being a hook that
		// lives opens it to the kill.
		r, w = pipe(t)
		stranger := n.talking(w, "echo 1; exec sleep 300")
		number(t, r)
		n.family.EndHook(stranger)
		if err := Kill(stranger, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		n.until("it has ended", func() bool { return len(n.ends) == 3 })
		n.wantEnd(stranger, "signal 15")
	})
}

// TestSuccessorLives: a zombie of the same program, which nobody has reaped, is
// no successor.
func TestSuccessorLives(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		program := copied(t, "/bin/sleep", "heir")
		first := n.app(program, "300")
		await(t, "the program", func() bool { return Executable(first) == program })
		second := n.app(program, "301")
		await(t, "the program", func() bool { return Executable(second) == program })
		for _, want := range []int{first, second, 0} {
			if got, group := n.family.Successor(program); got != want || group != Group(want) {
				t.Errorf("the successor is %d of group %d, want %d", got, group, want)
			}
			if want == 0 {
				break
			}
			if err := Kill(want, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			await(t, "a zombie", func() bool { s, ok := readStat(want); return ok && s.ended })
		}
		n.until("both have ended", func() bool { n.reap(); return len(n.ends) == 2 })
	})
}

// await polls for what no signal tells of.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

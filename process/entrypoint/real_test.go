package entrypoint

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// waits is a script that waits for a line, and then becomes its daemon.
const waits = "#!/bin/bash\nset -e\nread -r line\nexec cat \"$@\"\n"

// running starts a command, and has the means to tell it to go on. It ends with the test.
func running(t *testing.T, dir string, command ...string) (pid int, tell io.Writer) {
	t.Helper()
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Dir, cmd.Stdout, cmd.Stderr = dir, os.Stderr, os.Stderr
	cmd.Env = append(os.Environ(), "TINI_VERBOSITY=0") // it isn't process 1
	in, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		in.Close() // which ends the daemon, and whatever reads
		_ = cmd.Wait()
	})
	return cmd.Process.Pid, in
}

// until polls a look for what is to be seen.
func until(t *testing.T, p *Proc, pid int, want string) Look {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		look := p.Look(pid)
		_, got, _ := strings.Cut(found(look), " ")
		if got == want {
			return look
		}
		if time.Now().After(deadline) {
			t.Fatalf("the last look: %q, want %q", got, want)
		}
	}
}

// begins watches an app, as a loop does, until it has begun.
func begins(t *testing.T, p *Proc, pid int, started time.Time) time.Time {
	t.Helper()
	w := Since(started)
	for deadline := time.Now().Add(patience); ; {
		now := time.Now()
		w = w.See(p.Look(pid), now)
		when, begun := w.Begun()
		if begun {
			return when
		}
		if now.After(deadline) {
			t.Fatalf("it hasn't begun: %+v", w)
		}
		time.Sleep(time.Until(w.Next(now)))
	}
}

// executes starts a command whose script waits, sees it there, lets it go on, and sees that it has begun since.
func executes(t *testing.T, dir, atWork, begun string, command ...string) {
	t.Helper()
	started := time.Now()
	pid, tell := running(t, dir, command...)
	p := NewProc("/proc", "", os.Getenv("PATH"))
	at := until(t, p, pid, atWork)
	if w := Since(started).See(at, started).See(at, time.Now().Add(time.Hour)); w.begun {
		t.Errorf("a script at work has begun: %+v", at)
	}
	told := time.Now()
	if _, err := tell.Write([]byte("go on\n")); err != nil {
		t.Fatal(err)
	}
	if when := begins(t, p, pid, started); when.Before(told) {
		t.Errorf("it had begun %v before it could", told.Sub(when))
	}
	until(t, p, pid, begun)
}

// TestReal looks at real shells: they work, and become their daemon.
func TestReal(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	script := filepath.Join(dir, "start.sh")
	makeProgram(t, script, waits)
	makeProgram(t, filepath.Join(dir, "dash.sh"), "read -r line; exec cat")
	for name, at := range map[string]struct {
		atWork, begun string
		command       []string
	}{
		"a script":             {"/bin/bash " + script, "cat: cat", []string{script}},
		"a script of dash":     {"dash " + dir + "/dash.sh", "cat: cat", []string{"dash", dir + "/dash.sh"}},
		"options":              {"bash " + script, "cat: cat", []string{"bash", "-euo", "pipefail", script, "-"}},
		"a text":               {"dash -c", "cat: cat", []string{"dash", "-c", "read -r line && exec cat"}},
		"a text's last":        {"bash -c", "cat: cat", []string{"bash", "-c", "read -r line && cat"}},
		"a script behind dash": {"/bin/bash " + script, "cat: cat", []string{"dash", "-c", script}},
	} {
		shell, _, _ := strings.Cut(strings.TrimPrefix(at.atWork, "/bin/"), " ")
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			executes(t, dir, shell+" shell executes: "+at.atWork, at.begun, at.command...)
		})
	}
}

// TestReal_stays: what stays a shell has begun at once, and so has a program.
func TestReal_stays(t *testing.T) {
	t.Parallel()
	for _, at := range []struct {
		found   string
		command []string
	}{
		{"cat: cat", []string{"cat"}},
		{"dash shell: dash -c", []string{"dash", "-c", "read -r line && cat"}},
		{"bash shell: bash -c", []string{"bash", "-c", "while read -r line; do :; done"}},
		{"bash shell: bash", []string{"bash"}}, // which reads commands
	} {
		started := time.Now()
		pid, _ := running(t, t.TempDir(), at.command...)
		p := NewProc("/proc", "", os.Getenv("PATH"))
		begins(t, p, pid, started)
		until(t, p, pid, at.found)
	}
}

// TestReal_ended: the name of what has ended tells whether it was the script or its daemon, until it is reaped.
func TestReal_ended(t *testing.T) {
	t.Parallel()
	script := filepath.Join(t.TempDir(), "start.sh")
	makeProgram(t, script, "#!/bin/bash\nread -r line\nif [ $line = stop ]; then exit 1; fi\nexec cat\n")
	for line, want := range map[string]bool{"stop\n": false, "go on\n": true} {
		cmd := exec.Command(script)
		in, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		p := NewProc("/proc", "", "")
		at := until(t, p, cmd.Process.Pid, "bash shell executes: /bin/bash "+script)
		if _, err := in.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		in.Close()
		until(t, p, cmd.Process.Pid, ": ") // a zombie
		if got := p.Executed(at); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
		_ = cmd.Wait()
	}
}

// TestForks looks at a shell that starts one program after the other, and is found each time: never what it starts, which is a shell
// for a moment.
func TestForks(t *testing.T) {
	t.Parallel()
	pid, _ := running(t, "/", "bash", "-c", "until read -r -t 0; do env true; done; true")
	p := NewProc("/proc", "", "")
	for range 5000 {
		if look := p.Look(pid); !look.Shell {
			t.Fatalf("%+v", look)
		}
	}
}

package confit

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// endless is a validator that says when it runs, and leaves somebody behind in a session of his own.
const endless = `validate sh -c 'setsid sleep 7654322 & echo waiting; sleep 7654321' {candidate}`

// startTry is a try that runs until it is ended.
func (s *setup) startTry() *confit {
	s.t.Helper()
	s.lines = append(s.lines[:1], endless, "hook-timeout 1h")
	c := s.startCommand(s.command("--try", s.tries("web", keys{"text": "good"}))...)
	c.Says("waiting", 1)
	c.findItself("sleep 7654322")
	return c
}

// A signal ends a try with all that its hook has started, and nothing of it is left.
func TestTry_ended_by_a_signal(t *testing.T) {
	for sig, code := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130, syscall.SIGHUP: 129, syscall.SIGQUIT: 131} {
		for _, under := range []bool{false, true} {
			name := sig.String()
			if under {
				name += "/beside_another_init"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				s := newTry(t)
				s.box.Under = under
				c := s.startTry()
				if under {
					c.signalProcess(c.confitItself(), sig)
					c.gone("sleep 765432")
				} else {
					c.Signal(sig)
					c.Ends(code)
				}
				harness.Eventually(t, "nothing of the try", func() bool { return !exists(filepath.Join(s.state, "try")) })
			})
		}
	}
}

// confitItself is the process of the try where it isn't the init.
func (c *confit) confitItself() (found harness.Process) {
	c.t.Helper()
	c.Eventually("confit", func() bool {
		for _, p := range c.Processes() {
			if isConfit(p) {
				found = p
			}
		}
		return found.PID != 0
	})
	return found
}

// A try that nobody reads any more ends by itself: kubectl exec has gone away, and can't send a signal.
func TestTry_ends_when_nobody_reads(t *testing.T) {
	t.Parallel()
	s := newTry(t)
	s.lines = append(s.lines[:1], endless, "hook-timeout 1h")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	c := s.run(harness.Command{Argv: s.command("--try", s.tries("web", keys{"text": "good"})), Stdout: write})
	write.Close()
	lines := bufio.NewScanner(read)
	for lines.Scan() && lines.Text() != "waiting" {
	}
	read.Close()
	c.Ends(141)
	s.wantNoTry()
}

// A try that waits for its document ends, too.
func TestTry_ended_while_it_reads(t *testing.T) {
	t.Parallel()
	s := newTry(t)
	s.inMemory("")
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer write.Close()
	c := s.run(harness.Command{Argv: s.command("--try", "-"), Stdin: read})
	read.Close()
	if _, err := write.WriteString(`{"web": {"text": "Z29v`); err != nil {
		t.Fatal(err)
	}
	c.Eventually("the volume of the document", func() bool {
		laid, _ := filepath.Glob(filepath.Join(s.state, "try/*/volumes/web"))
		return len(laid) > 0
	})
	c.Signal(syscall.SIGTERM)
	c.Ends(143)
	s.wantNoTry()
}

// leaveTry has a try killed beside its init, so that it leaves its directory.
func (s *setup) leaveTry() {
	s.t.Helper()
	c := s.startTry()
	c.Kill()
	if left, _ := filepath.Glob(filepath.Join(s.state, "try", "*", "1", "web", "text")); len(left) != 1 {
		s.t.Fatalf("a try that was killed left %q", left)
	}
}

// What a try leaves that is killed goes with the next one, with the next start, and at a rescan.
func TestTry_killed(t *testing.T) {
	for name, next := range map[string]func(s *setup) *confit{
		"another_try": func(s *setup) *confit {
			s.lines = s.lines[:1]
			c := s.startCommand(s.command("--try", s.path("try"))...)
			c.Ends(0)
			return c
		},
		"start": func(s *setup) *confit {
			s.lines = s.lines[:1]
			c := s.start(app()...)
			c.Says("ready", 1)
			return c
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTry(t)
			s.volume("web").swap(keys{"text": "good"})
			s.leaveTry()
			next(s)
			if exists(filepath.Join(s.state, "try")) {
				t.Errorf("left:\n%s", s.tree(s.state))
			}
		})
	}
	t.Run("rescan", func(t *testing.T) {
		t.Parallel()
		s := newTry(t)
		s.lines = s.lines[:1]
		s.volume("web").swap(keys{"text": "good"})
		s.flag("--rescan", "100ms")
		c := s.start(app()...)
		c.Says("ready", 1)
		visitor := s.beside(c, "", endless, "--hook-timeout=1h")
		tries := filepath.Join(s.state, "try")
		c.Eventually("the try's directory", func() bool { entries, _ := os.ReadDir(tries); return len(entries) == 1 })
		itself := c.find("/proc/self/exe")
		c.signalProcess(itself, syscall.SIGSTOP) // else it would remove that
		c.signalProcess(c.visitorItself(), syscall.SIGKILL)
		c.signalProcess(itself, syscall.SIGKILL)
		visitor.wait()
		c.Eventually("nothing of the try", func() bool { return !exists(tries) })
		c.gone("nsenter")
		if !strings.Contains(s.tree(s.state), "note.json") {
			t.Errorf("gone, too:\n%s", s.tree(s.state))
		}
	})
}

// Whoever is killed of a try beside another init, the hook ends with it, and all that it has started; nothing is left, and nothing waits for
// the next rescan.
func TestTry_killed_beside(t *testing.T) {
	for name, kill := range map[string]func(c *confit, v *visitor, read *os.File){
		"try":         func(c *confit, _ *visitor, _ *os.File) { c.signalProcess(c.visitorItself(), syscall.SIGKILL) },
		"its_process": func(c *confit, _ *visitor, _ *os.File) { c.signalProcess(c.find("/proc/self/exe"), syscall.SIGKILL) },
		"its_group": func(c *confit, _ *visitor, _ *os.File) {
			group, err := syscall.Getpgid(c.visitorItself().PID)
			if err == nil {
				err = syscall.Kill(-group, syscall.SIGKILL)
			}
			if err != nil {
				c.t.Fatal(err)
			}
		},
		"parent_and_reader": func(_ *confit, v *visitor, read *os.File) { _ = v.Process.Kill(); read.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTry(t)
			s.lines = s.lines[:1]
			s.volume("web").swap(keys{"text": "good"})
			s.flag("--rescan", "1h")
			c := s.start(app()...)
			c.Says("ready", 1)
			read, write, err := os.Pipe()
			if err != nil {
				t.Fatal(err)
			}
			v := s.visitor(c, "", endless, "--hook-timeout=1h")
			v.SysProcAttr, v.Stdout = &syscall.SysProcAttr{Setpgid: true}, write
			v.begin()
			write.Close()
			for _, text := range []string{"sleep 7654321", "sleep 7654322"} {
				c.findItself(text)
			}
			kill(c, v, read)
			_ = v.Wait()
			read.Close()
			c.gone("sleep 765432")
			c.gone("/proc/self/exe")
			c.Eventually("nothing of the try", func() bool { return !exists(filepath.Join(s.state, "try")) })
			c.stops(0)
		})
	}
}

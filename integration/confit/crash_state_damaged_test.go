package confit

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// An entrypoint, the app or an operator changes the accepted generation, and the container starts again while a bad edit is
// mounted: the app starts on just what was accepted.
func TestState_damaged_before_a_restart(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(key string) error{
		"chmod":    func(key string) error { return os.Chmod(key, 0o600) },
		"appended": func(key string) error { return overwrite(key, "first, and more") },
		"removed":  os.Remove,
		"all gone": func(key string) error { return os.RemoveAll(filepath.Dir(filepath.Dir(key))) },
		"a stranger": func(key string) error {
			return errors.Join(os.Remove(key), os.Symlink("/etc/passwd", key), os.WriteFile(key+"2", nil, 0o644))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newProved(t)
			runs := s.path("runs")
			s.line("validate sh -c 'echo validate >>%s'", runs)
			s.line("gate sh -c 'echo gate >>%s'", runs)
			s.line("verify sh -c 'echo verify >>%s'", runs)
			web.swap(keys{"text": "first"})
			c := s.start(s.printer()...)
			c.accepts(1)
			c.Kill()
			before := s.read(runs)
			key := s.keyOf("1", "web/text")
			s.damage(spoil(key))
			c = s.start(s.printer()...)
			c.Says("read first", 1)
			if name == "chmod" {
				c.logs(restored, 1)
			} else {
				c.logs(repaired, 1)
			}
			if info, err := os.Stat(key); err != nil || info.Mode() != 0o444 || exists(key+"2") {
				t.Errorf("it is %v (%v)", info, err)
			}
			c.tells(0, "what was accepted", func(st report) bool { return st.quiet() && st.Live.Generation == 1 && st.Accepted.Proof == "stored" })
			if after := s.read(runs); after != before {
				t.Errorf("a generation that is written anew is no candidate, and these ran: %q", after)
			}
		})
	}
}

// The deaths of what is written anew count on.
func TestState_damaged_with_its_deaths(t *testing.T) {
	t.Parallel()
	l := newLadder(t, "restart", "4s")
	c := l.begins("first")
	l.edits(c, "late")
	c.Ends(3)
	l.damage(os.RemoveAll(l.keyOf("2", "")))
	c = l.runs()
	c.logs(repaired, 1)
	c.wantDown("first")
}

// What is damaged and no longer mounted isn't believed. What is mounted goes first, as a candidate. If that is bad, too, the app starts
// on what was accepted before.
func TestState_damaged_and_not_mounted(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ edit, reads string }{"good": {"third", "read third"}, "bad": {"bad", "read first"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newProved(t)
			s.line("validate sh -c 'echo run >>%s; ! grep -q bad {candidate}/web/text'", s.path("runs"))
			s.flag("--soak", "1h")
			web.swap(keys{"text": "first"})
			c := s.first(s.printer()...)
			web.swap(keys{"text": "second"})
			c.accepts(2)
			c.Kill()
			web.swap(keys{"text": test.edit})
			s.damage(overwrite(s.keyOf("2", "web/text"), "damaged"))
			before := s.read(s.path("runs"))
			c = s.start(s.printer()...)
			c.Says(test.reads, 1)
			c.Eventually("why the accepted one isn't used", func() bool { return len(c.beginning("stored generation not trusted: generation 1, ")) == 1 })
			if s.read(s.path("runs")) == before {
				t.Error("what is mounted wasn't validated")
			}
		})
	}
}

// No volume has a rendered file. So the renderer runs, and what it makes is a candidate.
func TestState_damaged_rendered_file(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.counted()
	s.line("validate grep -q . {candidate}/.rendered/out")
	web.swap(keys{"text": "first"})
	c := s.start(app("-print", s.target("out"))...)
	c.accepts(1)
	c.Kill()
	s.damage(overwrite(s.keyOf("1", ".rendered/out"), "damaged"))
	c = s.start(app("-print", s.target("out"))...)
	c.Says("read f one", 1)
	if e := c.accepts(1); e["generation"] == "1" {
		t.Errorf("logged %v, want another generation", e)
	}
	s.wantRuns(2)
}

// An entrypoint appends to its configuration at each start, and the app dies at once. Then a bad edit is mounted: the next start
// meets what was accepted.
func TestState_damaged_before_the_end(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.line("validate sh -c '! grep -q bad {candidate}/web/text'")
	web.swap(keys{"text": "first"})
	s.accept(app()...)
	for range 2 {
		s.start("sh", "-c", "echo more >>"+s.target("text")+"; exit 3").Ends(3)
	}
	web.swap(keys{"text": "bad"})
	c := s.start(s.printer()...)
	c.Says("read first", 1)
	c.wantLogged(startsOnStored, 1)
}

// A validator without a placeholder writes to the live file and fails: what was accepted is used as it is and named, and its bytes
// come back with the volume's.
func TestState_hook_that_writes(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	live := s.keyOf("1", "web/text")
	s.line("validate sh -c 'if grep -q bad %s; then echo spoilt >>%s; exit 1; fi'", s.target("text"), live)
	s.line("rescan 200ms")
	web.swap(keys{"text": "first"})
	c := s.start(s.printer()...)
	c.accepts(1)
	web.swap(keys{"text": "bad"})
	c.logs("candidate rejected", 1)
	c.logs("not everything could be put back: it is tried again", 1)
	web.swap(keys{"text": "first"})
	c.Eventually("the accepted key, byte for byte", func() bool {
		got, err := os.ReadFile(s.target("text"))
		return err == nil && string(got) == "first"
	})
	c.logs(repaired, 1)
}

// A user who locks all that they can open doesn't keep a container from starting.
func TestState_locked_by_another_user(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	web.swap(keys{"text": "first"})
	s.accept(app()...)
	for _, name := range []string{"", "generations", "lock"} {
		c := exec.Command("flock", "--shared", filepath.Join(s.state, name), "sleep", "1000")
		c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
		if err := c.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = syscall.Kill(-c.Process.Pid, syscall.SIGKILL); _ = c.Wait() })
	}
	c := s.start(s.printer()...)
	c.Says("read first", 1)
}

// confit replaces a status and a list of targets that belong to somebody else or are links, and doesn't write through them.
func TestState_notes_that_lead_elsewhere(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	web.swap(keys{"text": "first"})
	victim := filepath.Join(s.dir, "victim")
	notes := []string{"status.json", "targets.json", "note.json", "trial"}
	if err := errors.Join(os.MkdirAll(s.state, 0o755), os.WriteFile(victim, []byte("mine"), 0o600)); err != nil {
		t.Fatal(err)
	}
	for i, name := range notes {
		to := victim
		if i%2 == 1 {
			to = filepath.Join(s.dir, "nothing")
		}
		if err := os.Symlink(to, filepath.Join(s.state, name)); err != nil {
			t.Fatal(err)
		}
	}
	c := s.start(s.printer()...)
	c.Says("read first", 1)
	c.accepts(1)
	for _, name := range notes[:3] {
		c.Eventually(name+" being a file", func() bool {
			info, err := os.Lstat(filepath.Join(s.state, name))
			return err == nil && info.Mode() == 0o644
		})
	}
	if data, err := os.ReadFile(victim); err != nil || string(data) != "mine" || exists(filepath.Join(s.dir, "nothing")) {
		t.Errorf("a link was written through: %q (%v)", data, err)
	}
}

// read is what a file holds; "": it isn't there.
func (s *setup) read(path string) string {
	s.t.Helper()
	data, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		s.t.Fatal(err)
	}
	return string(data)
}

package integration

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
func TestState_mended_at_a_restart(t *testing.T) {
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
		for _, from := range []string{"mounted", "kept"} {
			t.Run(name+"/"+from, func(t *testing.T) {
				t.Parallel()
				s, web := newProved(t)
				s.line("validate sh -c '! grep -q bad {candidate}/web/text'")
				web.swap(keys{"text": "first"})
				c := s.start(s.printer()...)
				c.accepts(1)
				if from == "kept" {
					web.swap(keys{"text": "bad"})
					c.logs("candidate rejected", 1)
				}
				c.Kill()
				key := filepath.Join(s.state, "generations/1/web/text")
				if err := spoil(key); err != nil {
					t.Fatal(err)
				}
				c = s.start(s.printer()...)
				c.Says("read first", 1)
				c.logs("generation mended: somebody had changed it", 1)
				if info, err := os.Stat(key); err != nil || info.Mode() != 0o444 || exists(key+"2") {
					t.Errorf("mended to %v (%v)", info, err)
				}
			})
		}
	}
}

// An entrypoint appends to its configuration at each start, and the app dies at once. Then a bad edit is mounted: the next start
// meets what was accepted.
func TestState_mended_at_the_end(t *testing.T) {
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

// The app changes what it reads, in a generation that it works with: a rescan gives the bytes back, and leaves alone what an
// entrypoint did to a mode.
func TestState_healed(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.line("rescan 1s")
	s.line("validate sh -c '! grep -q bad {candidate}/web/text'")
	web.swap(keys{"text": "first", "other": "x"})
	c := s.start(s.printer()...)
	c.accepts(1)
	key := filepath.Join(s.state, "generations/1/web/text")
	for i, mounted := range []string{"first", "bad"} {
		web.swap(keys{"text": mounted, "other": "x"})
		if mounted == "bad" {
			c.logs("candidate rejected", 1)
		}
		if err := errors.Join(os.Chmod(filepath.Join(s.state, "generations/1"), 0o700), os.WriteFile(key, []byte("spoilt"), 0o644)); err != nil {
			t.Fatal(err)
		}
		c.logs("generation mended: somebody had changed it", i+1)
		if got, err := os.ReadFile(s.target("text")); err != nil || string(got) != "first" {
			t.Errorf("healed to %q (%v)", got, err)
		}
		if info, err := os.Stat(filepath.Join(s.state, "generations/1")); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the mode is %v (%v)", info.Mode(), err)
		}
	}
}

// A validator without a placeholder writes to the live file and fails: the app never reads what it wrote.
func TestState_hook_that_writes(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	live := filepath.Join(s.state, "generations/1/web/text")
	s.line("validate sh -c 'if grep -q bad %s; then echo spoilt >>%s; exit 1; fi'", s.target("text"), live)
	web.swap(keys{"text": "first"})
	c := s.start(s.printer()...)
	c.accepts(1)
	web.swap(keys{"text": "bad"})
	c.logs("candidate rejected", 1)
	c.Eventually("the accepted key, byte for byte", func() bool {
		got, err := os.ReadFile(s.target("text"))
		return err == nil && string(got) == "first"
	})
	c.logs("generation mended: somebody had changed it", 1)
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

// overwrite replaces a file's bytes, whatever its mode.
func overwrite(path, text string) error { return os.WriteFile(path, []byte(text), 0o644) }

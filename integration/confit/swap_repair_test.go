package confit

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

const (
	repaired    = "generation staged again: somebody had changed or removed keys of it"
	restored    = "generation restored: somebody had changed modes, owners or names"
	notRepaired = "generation not restored"
	notGoneBack = "generation not gone back to"
)

// keyOf is the file of a key in a generation.
func (s *setup) keyOf(generation, key string) string {
	return filepath.Join(s.state, "generations", generation, key)
}

// damage ends the test if a key of a generation could not be damaged.
func (s *setup) damage(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// overwrite replaces a file's bytes, whatever its mode.
func overwrite(path, text string) error { return os.WriteFile(path, []byte(text), 0o644) }

// first starts confit on a state directory without anything accepted, until the app is up on what is mounted.
func (s *setup) first(argv ...string) *confit {
	s.t.Helper()
	c := s.start(argv...)
	c.accepts(1)
	c.Says("ready", 1)
	return c
}

// An entrypoint writes into its linked file at each start, and the line says reload restart. A rescan gives the bytes back, and the
// app isn't restarted, which would have the entrypoint write again. So it goes in each container.
func TestRepair_entrypoint_that_writes(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.lines[1] = "reload restart"
	s.line("rescan 200ms")
	s.line("validate true {candidate}")
	web.swap(keys{"text": "first"})
	s.box.Mounts = []harness.Mount{harness.StrictAtime(web.dir)}
	for range 2 {
		c := s.start("sh", "-c", `echo more >>`+s.target("text")+`; echo ready; trap 'exit 0' TERM; while :; do sleep 0.05; done`)
		c.logs(repaired, 1)
		s.wantFiles(keys{"text": "first"})
		c.looksAt(web)
		c.wantLogged(repaired, 1)
		c.wantLogged("app started", 1)
		c.tells(0, "nothing wrong", report.quiet)
		if n := s.stored(); n.Number != 1 {
			t.Errorf("stored: %v", n)
		}
		c.stops(0)
	}
}

// An entrypoint gives its file to the app's user, and somebody writes to it. The bytes come back, and the file stays the app's.
func TestRepair_leaves_modes_and_owners(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.line("rescan 200ms")
	web.swap(keys{"text": "first"})
	key := s.keyOf("1", "web/text")
	c := s.start("sh", "-c", `echo more >>`+key+` && chown 65534:65534 `+key+` && chmod 640 `+key+` && echo ready; trap 'exit 0' TERM; while :; do sleep 0.05; done`)
	c.logs(repaired, 1)
	s.wantFiles(keys{"text": "first"})
	if got, err := os.Stat(key); err != nil || got.Mode() != 0o640 || got.Sys().(*syscall.Stat_t).Uid != 65534 {
		t.Errorf("the file that an entrypoint gave away is %v (%v)", got, err)
	}
}

// The app changes what it reads, in a generation that it works with: a rescan stages that again as long as the same is mounted.
// Else it says so, and touches nothing, until it is mounted again.
func TestRepair_while_the_volume_moved_on(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.line("rescan 200ms")
	s.line("link web/other %s", s.target("other"))
	s.line("validate sh -c '! grep -q bad {candidate}/web/text'")
	web.swap(keys{"text": "first", "other": "x"})
	c := s.first(s.printer()...)
	s.damage(overwrite(s.keyOf("1", "web/text"), "spoilt"))
	c.logs(repaired, 1)
	s.wantFiles(keys{"text": "first", "other": "x"})

	web.swap(keys{"text": "bad", "other": "x"})
	c.wantRejected("validate", 1)
	s.damage(errors.Join(overwrite(s.keyOf("1", "web/text"), "spoilt"), overwrite(s.keyOf("1", "web/other"), "spoilt")))
	if e := c.logs(notRepaired, 1); e["error"] != `key "web/other" of generation 1 is damaged; so are 1 more` {
		t.Errorf("logged %v, want the key", e)
	}
	c.tells(3, "the damage", func(st report) bool { return st.Damaged })
	s.wantFiles(keys{"text": "spoilt", "other": "spoilt"})
	c.wantLogged(repaired, 1)

	web.swap(keys{"text": "first", "other": "x"})
	c.logs(repaired, 2)
	s.wantFiles(keys{"text": "first", "other": "x"})
	c.tells(0, "nothing wrong", report.quiet)
}

// What can't be restored is shown, with code 3.
func TestRepair_shows_what_is_damaged(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("rescan 200ms")
	web := s.counted()
	web.swap(keys{"text": "first"})
	c := s.first(app("-print", s.target("out"))...)
	s.damage(overwrite(s.keyOf("1", ".rendered/out"), "spoilt")) // which no volume has
	c.logs(notRepaired, 1)
	c.tells(3, "the damaged key", func(st report) bool {
		return st.Damaged && st.Trouble == `key ".rendered/out" of generation 1 is damaged`
	})
	s.wantFiles(keys{"out": "spoilt"})
	web.swap(keys{"text": "second"})
	c.accepts(2)
	s.wantFiles(keys{"out": "s one\n"})
	c.tells(0, "nothing wrong", report.quiet)
}

// twice is a setup of which two generations are accepted: an app was started on the first one, and reloaded with the second one.
func twice(t *testing.T) (*setup, *volume, *confit) {
	t.Helper()
	s, web := newProved(t)
	s.flag("--rescan", "1h")
	s.flag("--probation", "2s", "--soak", "1h")
	s.line("link web/other %s reload=none", s.target("other"))
	s.line("env web/LEVEL LEVEL reload=none")
	web.swap(keys{"text": "first", "other": "x1", "LEVEL": "L1"})
	c := s.first(s.printer()...)
	web.swap(keys{"text": "second", "other": "x2", "LEVEL": "L2"})
	c.Says("read second", 1)
	c.accepts(2)
	return s, web, c
}

// A roll back uses what was accepted as it is, and names what is damaged: the app has lived on that.
func TestRepair_roll_back_to_what_is_damaged(t *testing.T) {
	t.Parallel()
	s, web, c := twice(t)
	s.damage(errors.Join(overwrite(s.keyOf("2", "web/other"), "damaged"), overwrite(s.keyOf("2", "web/LEVEL"), "damaged")))
	web.swap(keys{"text": "die 3", "other": "x2", "LEVEL": "L2"})
	c.wantRolledBack(1, "2")
	c.Says("read second", 2)
	if e := c.logs("not everything could be put back: it is tried again", 1); e["error"] != `key "web/LEVEL" of generation 2 is damaged; so are 1 more` {
		t.Errorf("logged %v, want the key", e)
	}
	s.wantFiles(keys{"text": "second", "other": "damaged"})
	c.wantVariable(2, "LEVEL", "L2") // which confit knows
	c.wantLogged(notGoneBack, 0)
}

// Where a key is missing the app is started on what was accepted before. That is noted.
func TestRepair_roll_back_further(t *testing.T) {
	t.Parallel()
	for name, harm := range map[string]func(s *setup) error{
		"key_missing": func(s *setup) error { return os.Remove(s.keyOf("2", "web/other")) },
		"all_gone":    func(s *setup) error { return os.RemoveAll(s.keyOf("2", "")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web, c := twice(t)
			s.damage(harm(s))
			web.swap(keys{"text": "die 3", "other": "x2", "LEVEL": "L2"})
			if e := c.logs(notGoneBack, 1); e["level"] != "ERROR" || e["error"] == "" {
				t.Errorf("logged %v, want an error", e)
			}
			c.wantRolledBack(1, "1")
			c.Says("read first", 2)
			s.wantFiles(keys{"text": "first", "other": "x1"})
			c.wantVariable(2, "LEVEL", "L1")
			c.tells(3, "the rejection", func(st report) bool { return st.Rejection.Step == "probation" && st.Live.Hash == st.Accepted.Hash })
			c.Eventually("the note of it", func() bool { return s.stored().Number == 1 })
			web.swap(keys{"text": "third", "other": "x3", "LEVEL": "L3"})
			c.Says("read third", 1)
			c.accepts(3)
		})
	}
}

// Where nothing else is left either and no app runs, confit ends, and the next one tries what is mounted.
func TestRepair_nothing_to_go_back_to(t *testing.T) {
	t.Parallel()
	s, web, c := twice(t)
	s.damage(errors.Join(os.RemoveAll(s.keyOf("2", "")), os.RemoveAll(s.keyOf("1", ""))))
	web.swap(keys{"text": "die 3", "other": "x2", "LEVEL": "L2"})
	c.logs(notGoneBack, 2)
	c.Ends(71)
	web.swap(keys{"text": "third", "other": "x3", "LEVEL": "L3"})
	c = s.start(s.printer()...)
	c.Says("read third", 1)
	c.accepts(1)
}

// The same where the app lives, and only isn't well: it stays on the edit, which is rejected, and the next edit is taken up.
func TestRepair_nothing_to_go_back_to_alive(t *testing.T) {
	t.Parallel()
	s, web, verifier := newVerified(t, "3s")
	s.flag("--rescan", "1h")
	c := s.first(s.printer()...)
	s.damage(os.RemoveAll(s.keyOf("1", "")))
	verifier("exit 7")
	web.swap(keys{"text": "second"})
	c.logs(notGoneBack, 1)
	c.tells(3, "the rejection", func(st report) bool { return st.Rejection.Step == "verify" && st.Phase == "running" })
	s.wantFiles(keys{"text": "second"})
	verifier("exit 0")
	web.swap(keys{"text": "third"})
	c.accepts(2)
	c.wantLogged("app started", 1)
	c.tells(0, "nothing wrong", report.quiet)
}

// And where there is a fallback: the app is stopped, and started on that.
func TestRepair_roll_back_to_the_fallback(t *testing.T) {
	t.Parallel()
	s, web, verifier := newVerified(t, "3s")
	s.flag("--rescan", "1h", "--fallback", s.mkdir("fallback"))
	s.write(s.path("fallback", "web", "text"), "baked in")
	c := s.first(s.printer()...)
	s.damage(os.RemoveAll(s.keyOf("1", "")))
	verifier("! grep -q second " + s.target("text"))
	web.swap(keys{"text": "second"})
	c.logs(notGoneBack, 1)
	c.Says("read baked in", 1)
	e := c.accepts(2)
	if e["source"] != "fallback" {
		t.Errorf("logged %v, want the fallback", e)
	}
}

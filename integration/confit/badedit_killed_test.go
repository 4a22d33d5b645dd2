package confit

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// newKilled is a setup whose probation outlasts every test. "first" was accepted, and "second" is mounted.
func newKilled(t *testing.T) (*setup, *volume) {
	t.Helper()
	s, web := newProved(t)
	web.swap(keys{"text": "first"})
	s.accept(app()...)
	s.flag("--probation", "1h", "--rescan", "3s")
	web.swap(keys{"text": "second"})
	return s, web
}

// killedOn starts a confit, and kills it with its whole container when the app has read a text: an edit that needs too much
// memory may end PID 1, too.
func (s *setup) killedOn(text string) {
	s.t.Helper()
	c := s.start(s.printer()...)
	c.Says("read "+text, 1)
	c.Kill()
}

// wantReads checks what the app was started on, and that it was started once.
func (c *confit) wantReads(text string) {
	c.t.Helper()
	if got := strings.Join(c.Texts("stdout", "read "), "; "); got != "read "+text {
		c.t.Errorf("the app says %q, want it to have read %q", got, text)
	}
}

// wantBlamed checks that a start didn't try the generation on which confit was killed twice.
func (c *confit) wantBlamed() {
	c.t.Helper()
	c.Says("ready", 1)
	if e := c.wantRejected("publish", 1); e["nextTry"] != "" || !strings.HasSuffix(e["reason"], ": suspect the app") {
		c.t.Errorf("logged %v, want no next try, and the app suspected", e)
	}
	c.wantReads("first")
	c.wantLogged("app started", 1)
	c.setup.wantFiles(keys{"text": "first"})
	c.tells(3, "the rejection", func(st report) bool {
		return st.Rejection.Step == "publish" && st.Rejection.Hash == st.Mounted.Hash && st.Live.Hash == c.setup.stored().Hash
	})
}

// A confit that was killed twice while it proved a generation starts on the accepted one, and stays with that. Another edit is
// tried.
func TestBadEdit_killed_twice(t *testing.T) {
	t.Parallel()
	s, web := newKilled(t)
	s.killedOn("second")
	s.killedOn("second")
	c := s.start(s.printer()...)
	c.wantBlamed()
	c.Kill()
	c = s.start(s.printer()...)
	c.wantBlamed()
	web.swap(keys{"text": "third"})
	c.Says("read third", 1)
	c.Kill()
	s.killedOn("third")
}

// The first of the two came in the life in which the edit was made.
func TestBadEdit_killed_after_a_reload(t *testing.T) {
	t.Parallel()
	s, web := newKilled(t)
	web.swap(keys{"text": "first"})
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	web.swap(keys{"text": "second"})
	c.Says("read second", 1)
	c.Kill()
	s.killedOn("second")
	c = s.start(s.printer()...)
	c.wantBlamed()
}

// Killed once may be bad luck: the app comes up on the accepted generation, and then the other one is proved anew.
func TestBadEdit_killed_once(t *testing.T) {
	t.Parallel()
	s, _ := newKilled(t)
	s.killedOn("second")
	s.flags = []string{"--probation", "300ms", "--rescan", "3s"}
	c := s.start(s.printer()...)
	c.wantPutOff("publish", "the app")
	c.accepts(1)
	c.Says("read second", 1)
	c.wantLogged("candidate rejected", 0)
	c.Kill()
	c = s.start(s.printer()...)
	c.Says("read second", 1)
	c.Kill()
	for range 3 { // it was accepted, and nothing counts after that where --soak is 0
		s.killedOn("second")
	}
}

// A confit that was asked to stop wasn't killed.
func TestBadEdit_stopped_while_proving(t *testing.T) {
	t.Parallel()
	s, _ := newKilled(t)
	for range 4 {
		c := s.start(s.printer()...)
		c.Says("ready", 1)
		c.wantReads("second")
		c.stops(0)
	}
	s.flags = []string{"--probation", "300ms", "--rescan", "3s"}
	c := s.start(s.printer()...)
	c.accepts(1)
	c.wantLogged("candidate rejected", 0)
}

// Nor was one that was asked to stop, and is killed because the app takes too long.
func TestBadEdit_killed_in_a_stop(t *testing.T) {
	t.Parallel()
	for name, sig := range map[string]syscall.Signal{"TERM": syscall.SIGTERM, "QUIT": syscall.SIGQUIT} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, _ := newKilled(t)
			for range 3 {
				c := s.start(s.printer("-exit", "", "-ignore", "TERM")...)
				c.Says("ready", 1)
				c.wantReads("second")
				c.Signal(sig)
				c.Eventually("the end of the trial", func() bool { return !exists(filepath.Join(s.state, "trial")) })
				c.Kill()
			}
			s.flags = []string{"--probation", "300ms", "--rescan", "3s"}
			c := s.start(s.printer()...)
			c.accepts(1)
			c.wantLogged("candidate rejected", 0)
		})
	}
}

// Without an accepted generation there is nothing else to start on.
func TestBadEdit_killed_with_nothing_accepted(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.flag("--probation", "1h", "--rescan", "3s")
	web.swap(keys{"text": "second"})
	for range 4 {
		s.killedOn("second")
	}
}

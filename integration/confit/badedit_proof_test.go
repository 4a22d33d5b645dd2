package confit

import (
	"strings"
	"testing"
)

// A hook that succeeds says so of this moment only. confit runs it again when the probation is over, as an app may fall ill until
// then. The candidate is taken back when the hook doesn't succeed in a time of its own.
func TestBadEdit_verify_at_the_end(t *testing.T) {
	t.Parallel()
	s, web, script := newVerified(t, "2s")
	s.accept(s.printer()...)
	s.flag("--probation", "3s")
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	script(`echo "hook: asked"; [ ! -e $0.asked ] || { echo fell ill; exit 7; }; : >$0.asked`)
	web.swap(keys{"text": "second"})
	if e := c.wantRejected("verify", 1); !strings.Contains(e["reason"], "exit 7") || e["nextTry"] != "" {
		t.Errorf("logged %v, want the hook's exit code and no next try", e)
	}
	c.wantRolledBack(1, "1")
	c.Says("read first", 2)
	if n := len(c.Texts("stderr", "hook: asked")); n < 3 {
		t.Errorf("asked %d times, want it asked again until its time is over", n)
	}
	c.tells(3, "what the hook said", func(st report) bool { return strings.Contains(st.Rejection.Output, "fell ill") })
	c.wantLogged("generation accepted", 0)
	script("exit 0")
	web.swap(keys{"text": "third"})
	c.Says("read third", 1)
	if e := c.accepts(1); e["proof"] != "verify" {
		t.Errorf("logged %v, want verify as the proof", e)
	}
	c.wantLogged("app started", 1)
}

// A hook that fails for a moment at the end is run until it succeeds.
func TestBadEdit_verify_flaps_at_the_end(t *testing.T) {
	t.Parallel()
	s, web, script := newVerified(t, "10m")
	s.accept(s.printer()...)
	s.flag("--probation", "3s")
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	script(`n=$(cat $0.count || echo 0); echo $((n + 1)) >$0.count; echo "hook: asked"; [ $n != 1 ]`)
	web.swap(keys{"text": "second"})
	if e := c.accepts(1); e["proof"] != "verify" {
		t.Errorf("logged %v, want verify as the proof", e)
	}
	c.wantCount("attempts", len(c.Texts("stderr", "hook: asked")), 3)
	c.wantLogged("candidate rejected", 0)
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 1)
}

// An app that says that it is ready, and dies of the bad edit within its probation, is rolled back: haproxy and named say READY=1
// after a file that they refused.
func TestBadEdit_ready_and_dead(t *testing.T) {
	t.Parallel()
	for name, action := range map[string]string{"reload": "signal:HUP", "restart": "restart"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newReload(t, action)
			dies := `; [ $(cat ` + s.target("a") + `) != bad ] || exit 3`
			speaker := s.speaker("trap \"exit 0\" TERM; say READY=1"+dies, "say RELOADING=1 READY=1"+dies+"; echo reloaded")
			s.accept(speaker...)
			s.flag("--probation", "1h")
			c := s.start(speaker...)
			c.Says("ready", 1)
			web.swap(keys{"a": "bad"})
			c.wantRejected("probation", 1)
			c.wantRolledBack(1, "1")
			c.Says("ready", 2)
			c.wantLogged("generation accepted", 0)
			web.swap(keys{"a": "fixed"})
			if action == "restart" {
				c.Says("ready", 3)
			} else {
				c.Says("reloaded", 1)
			}
			s.wantFiles(keys{"a": "fixed"})
			c.stops(0)
		})
	}
}

// The same when the container comes up again: READY=1 doesn't mean that a start has survived the generation.
func TestBadEdit_ready_and_dead_at_the_start(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "restart")
	speaker := s.speaker(`trap "exit 0" TERM; say READY=1; [ $(cat `+s.target("a")+`) != bad ] || exit 3`, "")
	s.accept(speaker...)
	s.flag("--probation", "1h")
	web.swap(keys{"a": "bad"})
	c := s.start(speaker...)
	c.wantRejected("probation", 1)
	c.Says("ready", 1)
	c.wantLogged("app started", 2)
	c.wantLogged("generation accepted", 0)
	s.wantFiles(keys{"a": "first"})
	c.stops(0)
}

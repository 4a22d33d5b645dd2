package confit

import (
	"syscall"
	"testing"
)

// An app that dies of a reload within the probation, however late, is started again on the accepted generation. One that dies
// later ends confit. Package supervisor tests the border to the tenth of a second, where no clock runs.
func TestProbation_dies(t *testing.T) {
	t.Parallel()
	for name, within := range map[string]bool{"4s": true, "6s": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newProved(t)
			web.swap(keys{"text": "first"})
			s.accept(app()...)
			s.flag("--probation", "5s")
			c := s.start(s.printer()...)
			c.Says("ready", 1)
			web.swap(keys{"text": "die 3 " + name})
			if !within {
				c.Ends(3)
				c.wantLogged("generation accepted", 1)
				c.wantLogged("candidate rejected", 0)
				return
			}
			c.Says("ready", 2)
			c.wantRejected("probation", 1)
			c.wantCount("reads of the accepted one", len(c.Texts("stdout", "read first")), 2)
			c.wantLogged("generation accepted", 0)
			web.swap(keys{"text": "second"})
			c.Says("read second", 1)
			c.accepts(1)
		})
	}
}

// The same with an app that is restarted: it dies as soon as it is started on a bad edit.
func TestProbation_restart(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"dies_at_once": nil,
		"stubborn":     {"-exit", "QUIT=0"}, // it can't be stopped by TERM
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newProved(t)
			s.lines[1] = "reload restart"
			web.swap(keys{"text": "first"})
			s.accept(app()...)
			s.flag("--probation", "1h", "--stop-timeout", map[bool]string{true: "300ms", false: "10m"}[flags != nil])
			c := s.start(s.printer(flags...)...)
			c.Says("ready", 1)
			web.swap(keys{"text": "die 3"})
			c.Says("ready", 2)
			c.wantRejected("probation", 1)
			c.wantCount("reads of the accepted one", len(c.Texts("stdout", "read first")), 2)
			c.wantLogged("app started", 3)
			killed := map[bool]int{true: 1}[flags != nil]
			c.wantLogged("app killed: it did not stop in time", killed)
			web.swap(keys{"text": "second"})
			c.Says("read second", 1)
			c.tells(0, "a new one being proved", func(st report) bool { return st.Phase == "proving" })
		})
	}
}

// The app that has to go back to the accepted generation can't be stopped: it is killed, and started on it.
func TestProbation_stubborn_roll_back(t *testing.T) {
	t.Parallel()
	s, web, script := newVerified(t, "3s")
	s.lines[1] = "reload restart"
	s.flag("--stop-timeout", "300ms")
	c := s.start(s.printer("-exit", "QUIT=0")...)
	c.accepts(1)
	c.Says("ready", 1)
	script("exit 7")
	web.swap(keys{"text": "second"})
	c.wantRejected("verify", 1)
	c.Says("read first", 2)
	c.wantLogged("app killed: it did not stop in time", 2)
	c.wantLogged("app started", 3)
	script("exit 0")
	web.swap(keys{"text": "third"})
	c.accepts(2)
}

// Swaps that come in while one is proved wait for its end. Then the newest is tried, and those between aren't.
func TestProbation_newest_wins(t *testing.T) {
	t.Parallel()
	for name, verdict := range map[string]int{"proved": 0, "rolled_back": 1} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web, script := newVerified(t, "10m")
			s.lines[1] = "reload auto" // it waits for the handler of an app that was just started
			c := s.start(append([]string{"sh", "-c", `trap '' HUP; exec "$@"`, "entrypoint"}, s.printer()...)...)
			c.accepts(1)
			release := s.path("release")
			wait := "echo hook: $CONFIT_GENERATION; until [ -e " + release + " ]; do sleep 0.01; done"
			if verdict != 0 {
				wait += "; grep -q newest " + s.target("text") + " || { kill -9 $(cat " + s.path("pid") + "); sleep 7654321; }"
			}
			script(wait)
			s.write(s.path("pid"), c.logs("app started", 1)["pid"])
			web.swap(keys{"text": "slow"})
			c.Says("read slow", 1)
			for _, text := range []string{"between1", "between2", "newest"} {
				web.swap(keys{"text": text})
			}
			c.wantLogged("generation published", 2)
			s.write(release, "")
			c.Says("read newest", 1)
			for _, text := range []string{"between1", "between2"} {
				c.wantCount("reads of "+text, len(c.Texts("stdout", "read "+text)), 0)
			}
			c.accepts(3 - verdict)
			c.wantLogged("candidate rejected", verdict)
			c.wantLogged("app started", 1+verdict)
		})
	}
}

// An app that dies of auto's HUP hasn't died of its configuration. It is started on the new generation and restarted from then
// on, and the status says so.
func TestProbation_dies_of_HUP(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.lines[1] = "reload auto"
	web.swap(keys{"text": "first"})
	s.accept(app()...)
	s.flag("--probation", "1h")
	c := s.start(s.printer("-runtime", "HUP")...)
	c.Says("ready", 1)
	c.tells(0, "how the app is reloaded", func(st report) bool { return st.App.Reload == "auto" })
	web.swap(keys{"text": "second"})
	c.Says("ready", 2)
	c.Says("read second", 1)
	c.logs("app left at HUP: it is started again", 1)
	c.wantLogged("candidate rejected", 0)
	c.tells(0, "that nothing is learnt before the app lives on it", func(st report) bool {
		return st.App.Reload == "auto" && st.Phase == "proving"
	})
	c.Kill()
	s.flags = nil
	c = s.start(s.printer("-runtime", "HUP")...)
	c.Says("read second", 1) // confit was killed with the candidate: it is tried as a change, and learnt from anew
	c.logs("app left at HUP: it is started again", 1)
	c.Says("ready", 2)
	c.tells(0, "that nothing is under way", report.quiet)
	web.swap(keys{"text": "third"})
	c.Says("read third", 1)
	c.Says("ready", 3)
	web.swap(keys{"text": "fourth"})
	c.Says("read fourth", 1)
	c.logs("app restarting", 2)
	c.wantLogged("app reloaded", 1)
	c.wantCount("stop signals", len(c.Texts("stdout", "signal TERM")), 2)
}

// Whoever ends the app in a phase: once it was reloaded with a candidate, that one is taken back and the app started anew;
// before, its end is confit's.
func TestProbation_app_killed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name  string
		lines []string
		hangs string // of which hook is waited for
		code  int    // of confit, 0: it goes on
	}{
		{"validating", []string{"validate sh -c 'grep -q second {candidate}/web/text && exec sleep 7654321; true'"}, "sleep 7654321", 137},
		{"reloading", []string{"reload exec:sh -c 'grep -q second {candidate}/web/text && exec sleep 7654321; true'"}, "sleep 7654321", 0},
		{"verifying", []string{"verify sh -c 'grep -q second {candidate}/web/text && exec sleep 7654321; true'"}, "sleep 7654321", 0},
		{"probation", []string{"probation 1h"}, "", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, web := newProved(t)
			web.swap(keys{"text": "first"})
			s.accept(app()...)
			if test.name == "reloading" {
				s.lines = s.lines[:1]
			}
			s.lines = append(s.lines, test.lines...)
			c := s.start(s.printer()...)
			c.Says("ready", 1)
			web.swap(keys{"text": "second"})
			if test.hangs != "" {
				c.find(test.hangs)
			} else {
				c.Says("read second", 1)
			}
			c.signalProcess(c.find(programs.app+" "), syscall.SIGKILL)
			if test.code != 0 {
				c.Ends(test.code)
				return
			}
			c.wantRejected("probation", 1)
			c.Says("ready", 2)
			c.wantCount("reads of the accepted one", len(c.Texts("stdout", "read first")), 2)
			c.gone("sleep 7654321")
			if e := c.logs("rolled back", 1); e["generation"] != "1" {
				t.Errorf("logged %v, want generation 1", e)
			}
			c.wantLogged("app started", 2)
		})
	}
}

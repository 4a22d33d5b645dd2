package confit

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// moments are what a script is at when a signal comes: each waits for a file of its own.
var moments = []string{
	`until [ -e %s ]; do sleep 0.05; done`,
	`waits() { until [ -e %s ]; do sleep 0.05; done; }; waits`,
	`( until [ -e %s ]; do sleep 0.05; done )`,
	`sh -c 'until [ -e %s ]; do sleep 0.05; done' | cat`,
	`found=$(until [ -e %s ]; do sleep 0.05; done)`,
	`sh -c 'until [ -e %s ]; do sleep 0.05; done'`,
	`until [ -e %s ]; do sleep 0.05; done & wait $!`,
	`sleep 7654321 & server=$!; until [ -e %s ]; do sleep 0.05; done; kill $server`,
}

// looksUp tells the moments in which a trap runs at once: a shell waits for what runs in front of it.
var looksUp = []int{0, 1, 6, 7}

// stepped is a setup whose script is at each of the moments in turn.
type stepped struct {
	*setup
	web   *volume
	steps int // that the test has let end
}

func newStepped(t *testing.T, flags ...string) *stepped {
	t.Helper()
	s, web := newProved(t)
	web.swap(keys{"text": "first"})
	s.flag(append([]string{"--probation", "200ms", "--entrypoint-timeout", "30m"}, flags...)...)
	return &stepped{s, web, 0}
}

// script is one of this shell, with something in front of its work, and a command after it.
func (s *stepped) script(shell, before, then string) string {
	var text strings.Builder
	fmt.Fprintf(&text, "#!%s\n%s\n", shell, before)
	for i, moment := range moments {
		fmt.Fprintf(&text, "echo step %d\n"+moment+"\n", i, s.path("step", strconv.Itoa(i)))
	}
	fmt.Fprintf(&text, "echo work done\n%s\n", then)
	return s.executable("start.sh", text.String())
}

func (s *stepped) executable(name, text string) string {
	s.t.Helper()
	path := s.write(s.path(name), text)
	if err := os.Chmod(path, 0o755); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// letPass lets the script go on to a moment.
func (s *stepped) letPass(to int) {
	for ; s.steps < to; s.steps++ {
		s.write(s.path("step", strconv.Itoa(s.steps)), "")
	}
}

func (s *stepped) letEnd() { s.letPass(len(moments)) }

// app is the daemon behind the script.
func (s *stepped) app(flags ...string) string { return strings.Join(s.printer(flags...), " ") }

// endCodes are those of an app that tells signals apart.
var endCodes = map[syscall.Signal]int{syscall.SIGTERM: 7, syscall.SIGINT: 8, syscall.SIGQUIT: 9, syscall.SIGHUP: 7}

const endsApart = "TERM=7,INT=8,QUIT=9"

// isHeld is that a signal waits for the script.
func (c *confit) isHeld(sig syscall.Signal) {
	c.t.Helper()
	if sig == syscall.SIGTERM {
		c.logs("stop waits for the app's entrypoint", 1)
		return
	}
	if e := c.logs("signal waits for the app's entrypoint", 1); e["signal"] != harness.SignalName(sig) {
		c.t.Errorf("logged %v, want a wait of %v", e, sig)
	}
}

// cutShort is a script that gets a signal at one of its moments.
type cutShort struct {
	shell, trap string
	moment      int
	sig         syscall.Signal
}

func (w cutShort) name() string {
	name := strings.Join([]string{strings.TrimPrefix(w.shell, "/bin/"), harness.SignalName(w.sig), strconv.Itoa(w.moment)}, " ")
	if w.trap != "" {
		name += " trap"
	}
	return name
}

// run checks that the work is done, and that the app gets the signal, and ends as it does at that.
func (w cutShort) run(t *testing.T) {
	t.Parallel()
	untilReady(t, w.runOnce)
}

// untilReady runs a test again in which the app had no handlers yet when it got what had waited: a Go program that comes to main late on a
// busy machine dies of it.
func untilReady(t *testing.T, once func(*testing.T) bool) {
	t.Helper()
	for range 5 {
		if once(t) {
			return
		}
	}
	t.Error("the app was never ready")
}

// isReady waits for an app that has its handlers. It reports false if the app has ended without.
func (c *confit) isReady() bool {
	c.t.Helper()
	ready := func() bool { return len(c.Texts("stdout", "ready")) > 0 }
	c.Eventually("an app that is ready, or its end", func() bool { return ready() || !c.Alive() })
	return ready()
}

func (w cutShort) runOnce(t *testing.T) (isReady bool) {
	s := newStepped(t, "--stop-timeout", "10m")
	c := s.start(s.script(w.shell, w.trap, "exec "+s.app("-exit", endsApart)))
	s.letPass(w.moment)
	c.Says(fmt.Sprintf("step %d", w.moment), 1)
	c.Signal(w.sig)
	c.isHeld(w.sig)
	s.letEnd()
	if !c.isReady() {
		return false
	}
	c.Says("signal "+harness.SignalName(w.sig), 1)
	if w.sig == syscall.SIGHUP {
		c.Signal(syscall.SIGTERM)
	}
	c.Ends(endCodes[w.sig])
	c.wantCount("work that was done", len(c.Texts("stdout", "work done")), 1)
	c.wantCount("signals", len(c.Texts("stdout", "signal "+harness.SignalName(w.sig))), 1)
	c.wantLogged("candidate rejected", 0)
	return true
}

// stopsFromOutside are the signals that wait for the app.
var stopsFromOutside = []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGHUP}

// A signal comes while a script works, whatever the script is at: its work is done, and the app gets the signal. Each moment has one of the
// signals here, and all of them at length.
func TestEntryStop_moments(t *testing.T) {
	t.Parallel()
	for i, shell := range []string{"/bin/bash", "/bin/dash"} {
		for moment := range moments {
			w := cutShort{shell: shell, moment: moment, sig: stopsFromOutside[(moment+i)%len(stopsFromOutside)]}
			t.Run(w.name(), w.run)
		}
	}
}

// termTrap is that of a script which knows what to do at a stop.
const termTrap = `trap 'echo trapped; exit 3' TERM`

// A script with a trap for TERM gets it at once.
func TestEntryStop_trap(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"/bin/bash", "/bin/dash"} {
		for _, moment := range looksUp {
			t.Run(cutShort{shell: shell, moment: moment, sig: syscall.SIGTERM}.name(), func(t *testing.T) {
				t.Parallel()
				trapped(t, shell, moment)
			})
		}
	}
}

func trapped(t *testing.T, shell string, moment int) {
	s := newStepped(t, "--stop-timeout", "10m")
	c := s.start(s.script(shell, termTrap, "exec "+s.app()))
	s.letPass(moment)
	c.Says(fmt.Sprintf("step %d", moment), 1)
	c.Signal(syscall.SIGTERM)
	c.Ends(3)
	c.wantCount("traps", len(c.Texts("stdout", "trapped")), 1)
	c.wantLogged("stop waits for the app's entrypoint", 0)
	c.wantLogged("candidate rejected", 0)
}

// A trap doesn't count behind a shell that stays in front of the script: that shell would get the signal, and die of it.
func TestEntryStop_trap_behind(t *testing.T) {
	t.Parallel()
	s := newStepped(t, "--entrypoint-timeout", "30m", "--stop-timeout", "10m")
	c := s.start("dash", "-c", s.script("/bin/bash", termTrap, "exec "+s.app()))
	c.Says("step 0", 1)
	c.Signal(syscall.SIGTERM)
	c.isHeld(syscall.SIGTERM)
	s.letEnd()
	c.Ends(143)
	c.wantCount("work that was done", len(c.Texts("stdout", "work done")), 1)
}

// A second stop is handed on at once, and ends the script.
func TestEntryStop_twice(t *testing.T) {
	t.Parallel()
	for name, sigs := range map[string][2]syscall.Signal{
		"TERM": {syscall.SIGTERM, syscall.SIGTERM}, "TERM and QUIT": {syscall.SIGTERM, syscall.SIGQUIT}, "TERM and INT": {syscall.SIGTERM, syscall.SIGINT},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStepped(t)
			c := s.start(s.script("/bin/dash", "", "exec "+s.app()))
			c.Says("step 0", 1)
			c.Signal(sigs[0])
			if longest := c.logs("stop waits for the app's entrypoint", 1)["longest"]; longest != "25s" {
				t.Errorf("the stop waits for %s, want 25s", longest)
			}
			c.Signal(sigs[1])
			c.Ends(128 + int(sigs[1]))
			c.wantCount("work that was done", len(c.Texts("stdout", "work done")), 0)
			c.wantLogged("app's entrypoint ended by the stop: what it made may be half done", 0)
		})
	}
}

// A script that is still at work when nobody may wait any longer gets TERM: half of a short --stop-timeout.
func TestEntryStop_in_time(t *testing.T) {
	t.Parallel()
	for timeout, longest := range map[string]string{"5s": "2.5s", "1s": "500ms"} {
		t.Run(timeout, func(t *testing.T) {
			t.Parallel()
			inTime(t, timeout, longest)
		})
	}
}

func inTime(t *testing.T, timeout, longest string) {
	s := newStepped(t, "--stop-timeout", timeout)
	c := s.start(s.script("/bin/bash", "", "exec "+s.app()))
	c.Says("step 0", 1)
	c.Signal(syscall.SIGTERM)
	if found := c.logs("stop waits for the app's entrypoint", 1)["longest"]; found != longest {
		t.Errorf("the stop waits for %s, want %s", found, longest)
	}
	c.Ends(143)
	e := c.logs("app's entrypoint ended by the stop: what it made may be half done", 1)
	if e["level"] != "WARN" || !strings.Contains(e["todo"], "terminationGracePeriodSeconds") {
		t.Errorf("logged %v", e)
	}
}

// What hands on to a script after a moment, as gosu does on a busy node, is no app that may be ended: it is looked at once more.
func TestEntryStop_behind_another(t *testing.T) {
	t.Parallel()
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP, syscall.SIGUSR1} {
		t.Run(harness.SignalName(sig), func(t *testing.T) {
			t.Parallel()
			untilReady(t, func(t *testing.T) bool { return behindAnother(t, sig) })
		})
	}
}

func behindAnother(t *testing.T, sig syscall.Signal) (isReady bool) {
	s := newStepped(t)
	s.box.Blocked = []syscall.Signal{syscall.SIGUSR1} // until the app has a handler: what comes before, a Go program drops
	script := s.script("/bin/bash", "", "exec "+s.app("-exit", "TERM=7,INT=7,USR1=7"))
	front := s.executable("front.sh", fmt.Sprintf(`#!/bin/sh
		exec perl -e 'select undef, undef, undef, 0.12; exec @ARGV' %s`+"\n", script))
	c := s.start(front)
	c.Says("step 0", 1)
	c.Signal(sig)
	c.isHeld(sig)
	s.letEnd()
	if !c.isReady() {
		return false
	}
	if c.Says("signal "+harness.SignalName(sig), 1); sig == syscall.SIGHUP {
		c.Signal(syscall.SIGTERM)
	}
	c.Ends(7)
	c.wantCount("work that was done", len(c.Texts("stdout", "work done")), 1)
	return true
}

//go:build check

package confit

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// shells are those of images.
var shells = []string{"/bin/bash", "/bin/dash", "/bin/busybox sh"}

// Each signal at each moment, with and without a trap: one for TERM has another one held all the same.
func TestEntryStop_all_moments(t *testing.T) {
	t.Parallel()
	for _, shell := range shells {
		for moment := range moments {
			for _, sig := range stopsFromOutside {
				w := cutShort{shell: shell, moment: moment, sig: sig}
				t.Run(w.name(), w.run)
				if w.trap = termTrap; sig != syscall.SIGTERM {
					t.Run(w.name(), w.run)
				}
			}
		}
	}
}

// busybox runs a trap as the others do.
func TestEntryStop_trap_busybox(t *testing.T) {
	t.Parallel()
	for _, moment := range looksUp {
		t.Run(fmt.Sprint(moment), func(t *testing.T) {
			t.Parallel()
			trapped(t, "/bin/busybox sh", moment)
		})
	}
}

// The default lasts for 25 of the 30 seconds that Kubernetes gives.
func TestEntryStop_in_time_by_default(t *testing.T) {
	t.Parallel()
	inTime(t, "30s", "25s")
}

// A HUP that has waited is dropped if the app has no handler after ten seconds, as the kernel drops it for process 1. The app lives on.
func TestEntryStop_HUP_dropped(t *testing.T) {
	t.Parallel()
	for name, then := range map[string]string{"no handler": "exec sleep 7654321", "ignored": "trap '' HUP; exec sleep 7654321", "bash's own": "exec bash -c 'trap : EXIT; while :; do sleep 1; done'"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newStepped(t)
			c := s.start(s.script("/bin/bash", "", then))
			c.Says("step 0", 1)
			c.Signal(syscall.SIGHUP)
			c.isHeld(syscall.SIGHUP)
			s.letEnd()
			if e := c.logs("signal dropped: the app has no handler for it", 1); e["signal"] != "HUP" {
				t.Errorf("logged %v", e)
			}
			c.stops(143)
		})
	}
}

// A handler that comes a second after the beginning gets the HUP that has waited, behind an init, too.
func TestEntryStop_HUP_late(t *testing.T) {
	t.Parallel()
	for _, init := range []string{"", "tini -- ", "tini -g -- ", "dumb-init ", "catatonit -- "} {
		t.Run("init "+init, func(t *testing.T) {
			t.Parallel()
			s := newStepped(t)
			program := s.write(s.path("late.pl"), `$| = 1; $SIG{TERM} = sub { exit 7 }; select undef, undef, undef, 1;
				$SIG{HUP} = sub { print "got HUP\n" }; select undef, undef, undef, 0.02 while 1`)
			c := s.start(strings.Fields(init + s.script("/bin/bash", "", "exec perl "+program))...)
			c.Says("step 0", 1)
			c.Signal(syscall.SIGHUP)
			c.isHeld(syscall.SIGHUP)
			s.letEnd()
			c.Says("got HUP", 1)
			c.wantLogged("signal dropped: the app has no handler for it", 0)
			c.stops(7)
			c.wantCount("HUP", len(c.Texts("stdout", "got HUP")), 1)
		})
	}
}

// An init between confit and the script hands on what has waited; so do sh -c, gosu and setpriv.
func TestEntryStop_fronts(t *testing.T) {
	t.Parallel()
	for _, front := range []string{"tini --", "tini -g --", "dumb-init", "dumb-init -c", "catatonit --", "gosu root", "setpriv --reuid 0", "env -u A", "sh -c", "tini -- sh -c"} {
		for _, sig := range stopsFromOutside {
			t.Run(front+" "+harness.SignalName(sig), func(t *testing.T) {
				t.Parallel()
				untilReady(t, func(t *testing.T) bool { return behindFront(t, front, sig) })
			})
		}
	}
}

func behindFront(t *testing.T, front string, sig syscall.Signal) (isReady bool) {
	s := newStepped(t)
	c := s.start(append(strings.Fields(front), s.script("/bin/bash", "", "exec "+s.app("-exit", endsApart)))...)
	c.Says("step 0", 1)
	c.Signal(sig)
	c.isHeld(sig)
	s.letEnd()
	if !c.isReady() {
		return false
	}
	if strings.HasSuffix(front, "sh -c") { // dash stays in front, and the stop is dash's; it may be over with tini before it
		if err := c.Send(syscall.SIGTERM); err != nil && !errors.Is(err, os.ErrProcessDone) {
			t.Error(err)
		}
		c.Eventually("the end", func() bool { return !c.Alive() })
	} else {
		if sig == syscall.SIGHUP {
			c.Says("signal HUP", 1)
			c.Signal(syscall.SIGTERM)
		}
		c.Ends(endCodes[sig])
	}
	c.wantCount("work that was done", len(c.Texts("stdout", "work done")), 1)
	return true
}

//go:build check

package daemons

import (
	"fmt"
	"slices"
	"syscall"
	"testing"
	"time"
)

// landers are daemons whose stop signal isn't TERM. Before its handler is there the kernel drops WINCH, and ends the daemon by another one.
// haproxy's master is none of them: it loses a USR1 in the ten milliseconds after its handler is there, without confit, too.
var landers = []struct {
	daemon
	codes []int
}{
	{apache, []int{0}}, {nginx, []int{0, 131}}, {haproxyAlone, []int{0, 138}}, {postgres, []int{0, 130}},
}

// earlyMoments are those after a start in which a container is stopped.
var earlyMoments = []time.Duration{0, 2 * time.Millisecond, 5 * time.Millisecond, 20 * time.Millisecond, 100 * time.Millisecond, 200 * time.Millisecond}

// A stop that comes while a daemon starts isn't lost, behind an init neither: the daemon ends by it, and by no other signal.
func TestLanded(t *testing.T) {
	for _, l := range landers {
		for _, front := range []string{"", "tini -- ", "tini -g -- ", "dumb-init ", "catatonit -- "} {
			for _, after := range earlyMoments {
				t.Run(fmt.Sprint(l.name, " ", front, after), func(t *testing.T) {
					t.Parallel()
					d := l.daemon
					d.app = front + d.app
					landed(t, d, after, l.codes)
				})
			}
		}
	}
}

// The same for the app's group, of whose members one is enough.
func TestLanded_group(t *testing.T) {
	for _, l := range landers {
		for _, after := range earlyMoments {
			t.Run(fmt.Sprint(l.name, " ", after), func(t *testing.T) {
				t.Parallel()
				landed(t, l.daemon, after, append(slices.Clip(l.codes), 143), "--signal-group")
			})
		}
	}
}

// landed stops a daemon a while after its start.
func landed(t *testing.T, d daemon, after time.Duration, codes []int, flags ...string) {
	t.Helper()
	s := newSite(t, d)
	s.swap(d.good(1))
	c := s.start(append(slices.Clip(flags), "--stop-timeout", "2m")...) // on a busy machine initdb takes its time
	c.logs(`msg="app started"`)
	<-time.After(after)
	c.Signal(syscall.SIGTERM)
	c.Eventually("the end", func() bool { return !c.Alive() })
	if code := c.State().ExitCode(); !slices.Contains(codes, code) {
		t.Errorf("ended with %d, want one of %d", code, codes)
	}
	c.wantLogged(1, `msg="app started"`)
	c.wantLogged(0, `msg="app has not taken the stop signal`)
	c.wantLogged(0, `msg="candidate rejected"`)
}

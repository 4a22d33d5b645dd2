package confit

import (
	"os"
	"syscall"
	"testing"
	"time"
)

// stoppedEnd is how the script of a candidate ends once a stop waits for it.
type stoppedEnd struct {
	name  string
	sig   syscall.Signal
	flags []string
	then  func(*stepped, *confit)
}

// fails lets the script go on to its end, which is an error.
func fails(s *stepped, _ *confit) { s.letEnd() }

// killed is the end of a grace period.
func killed(_ *stepped, c *confit) { c.Kill() }

var stoppedEnds = []stoppedEnd{
	{"TERM fails", syscall.SIGTERM, nil, fails},
	{"INT fails", syscall.SIGINT, nil, fails},
	{"QUIT fails", syscall.SIGQUIT, nil, fails},
	{"TERM killed", syscall.SIGTERM, nil, killed},
	{"INT killed", syscall.SIGINT, nil, killed},
	{"TERM twice", syscall.SIGTERM, nil, func(_ *stepped, c *confit) { c.Signal(syscall.SIGTERM) }},
	{"INT and TERM twice", syscall.SIGINT, nil, func(_ *stepped, c *confit) {
		c.Signal(syscall.SIGTERM)
		c.isHeld(syscall.SIGTERM)
		c.Signal(syscall.SIGTERM)
	}},
	{"TERM late", syscall.SIGTERM, []string{"--stop-timeout", "1s"}, func(*stepped, *confit) {}},
}

// From the arrival of a stop no end of the script, and no kill, says anything of the edition that it was started on, in its probation or
// later: the next container starts on the same one.
func TestEntryStop_blames_nobody(t *testing.T) {
	t.Parallel()
	for _, end := range stoppedEnds {
		for _, probation := range []string{"1h", "200ms"} {
			t.Run(end.name+" "+probation, func(t *testing.T) {
				t.Parallel()
				end.run(t, probation)
			})
		}
	}
}

func (end stoppedEnd) run(t *testing.T, probation string) {
	s, script := newFailing(t, append([]string{"--probation", probation}, end.flags...)...)
	for range 2 { // an edition that was noted once would go at the second time
		c := s.start(script)
		s.outlasts(c, probation)
		c.Signal(end.sig)
		c.isHeld(end.sig)
		end.then(s, c)
		c.Eventually("the end", func() bool { return !c.Alive() })
		c.wantLogged("app started", 1)
		c.wantLogged("candidate rejected", 0)
		c.wantLogged("rolled back", 0)
		s.without("step")
		s.steps = 0
	}
	s.flags = []string{"--probation", "200ms", "--entrypoint-timeout", "30m"}
	s.without("fails")
	next := s.start(script)
	s.letEnd()
	next.Says("read second", 1)
	next.accepts(1)
	next.wantLogged("candidate rejected", 0)
	next.stops(7)
}

// newFailing is a setup whose candidate "second" comes with a script that fails when its work is done.
func newFailing(t *testing.T, flags ...string) (s *stepped, script string) {
	t.Helper()
	s = newStepped(t)
	s.accept(s.printer()...)
	s.web.swap(keys{"text": "second"})
	s.flags = append([]string{"--entrypoint-timeout", "30m"}, flags...)
	s.write(s.path("fails"), "")
	return s, s.script("/bin/dash", "", "[ ! -e "+s.path("fails")+" ] || exit 5; exec "+s.app("-exit", endsApart))
}

// outlasts waits until the script works, and has done so for longer than a short probation.
func (s *stepped) outlasts(c *confit, probation string) {
	c.Says("step 0", 1)
	began := time.Now()
	if wait, _ := time.ParseDuration(probation); wait < time.Minute {
		c.Eventually("three probations", func() bool { return time.Since(began) > 3*wait })
	}
}

// Without a stop the same end is the edition's, in its probation at once, and later noted against it.
func TestEntryStop_blames(t *testing.T) {
	t.Parallel()
	for probation, blames := range map[string]func(s *stepped, c *confit, script string){
		"1h": func(_ *stepped, c *confit, _ string) { c.wantRejected("probation", 1) },
		"200ms": func(s *stepped, c *confit, script string) {
			c.endsOnSecond()
			s.start(script).onFirst()
		},
	} {
		t.Run(probation, func(t *testing.T) {
			t.Parallel()
			s, script := newFailing(t, "--probation", probation)
			c := s.start(script)
			s.outlasts(c, probation)
			s.letEnd()
			blames(s, c, script)
		})
	}
}

// without removes a file or a directory of the test's, if it is there.
func (s *stepped) without(name string) {
	s.t.Helper()
	if err := os.RemoveAll(s.path(name)); err != nil {
		s.t.Fatal(err)
	}
}

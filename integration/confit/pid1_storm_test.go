package confit

import (
	"fmt"
	"os"
	"strings"
	"syscall"
	"testing"
)

// stormAlive is how many orphans of a storm live at a time.
const stormAlive = 64

// Some thousand orphans, the last of which die in the moment in which the app exits: none is left, not even as a zombie, and the exit
// code is the app's. make check has 100,000: TestStorm_orphans.
func TestStorm_few_orphans(t *testing.T) { orphans(t, 1, 3000) }

func orphans(t *testing.T, storms, many int) {
	t.Parallel()
	for n := range storms {
		eachUser(t, fmt.Sprint(n), func(t *testing.T, s *setup) {
			s.linkOne()
			code := 1 + n%255
			c := s.start(programs.unruly, "storm", fmt.Sprint(many), fmt.Sprint(code))
			for thousand := range many / 1000 { // no single wait may be for all, on a machine that is busy with much else
				c.Says("thousand", thousand+1)
			}
			c.Eventually("no zombie and no orphan but the last ones", func() bool { return len(c.Processes()) == 2+stormAlive && !c.zombie() })
			c.stops(code)
			c.wantLogged("leftovers killed: they did not stop in time", 0)
		})
	}
}

// An app exits in the middle of a storm that goes on behind it, four times with PID 1 and once below another. confit's code is the app's,
// another one each time. Nobody is left, even where confit isn't PID 1 and the kernel doesn't sweep up. make check does so 250 times:
// TestStorm_exit.
func TestStorm_few_exits(t *testing.T) { exits(t, 4) }

// exits has so many of them for each user with PID 1, and a quarter as many below another.
func exits(t *testing.T, many int) {
	t.Parallel()
	for _, under := range []bool{false, true} {
		eachUser(t, fmt.Sprintf("under_%v", under), func(t *testing.T, s *setup) {
			s.linkOne()
			s.box.Under = under
			runs := many
			if under {
				runs /= 4
			}
			for code := 1; code <= runs; code++ {
				s.leaveInStorm(200+code, code)
			}
		})
	}
}

func (s *setup) leaveInStorm(orphans, code int) {
	s.t.Helper()
	c := s.start(programs.unruly, "leave", fmt.Sprint(orphans), fmt.Sprint(code))
	c.Ends(code)
	c.wantLogged("app exited", 1)
	if left := c.Texts("stdout", "left behind"); len(left) > 0 {
		s.t.Errorf("confit left processes behind: %q", left)
	}
}

// storming is an app in a storm, with a leftover that needs half a second after TERM, and perhaps one that ignores it.
func (s *setup) storming(program string, scripts ...string) *confit {
	s.t.Helper()
	scripts = append(scripts, `trap 'sleep 0.5; echo cleaned; exit' TERM; echo up; while :; do sleep 0.05; done`)
	c := s.start(append([]string{program, "wild", "7"}, scripts...)...)
	c.Says("up", len(scripts))
	return c
}

const ignoresTERM = `trap '' TERM; echo up; exec sleep 7654321`

// hangingEdit makes the hook of stormy hang.
var hangingEdit = keys{"a": "second", "check": hang}

// TERM while the app forks as fast as it can: confit ends with the right code, gives time to what needs it, kills what ignores
// TERM, and leaves no hook.
func TestStorm_stop(t *testing.T) {
	t.Parallel()
	eachUser(t, "running", func(t *testing.T, s *setup) {
		s.stormy()
		s.flag("--drain-timeout", "6s")
		c := s.storming(programs.unruly, ignoresTERM)
		c.stopsInStorm("running", 7)
		c.wantLogged("leftovers killed: they did not stop in time", 1)
	})
	eachUser(t, "validating", func(t *testing.T, s *setup) {
		web := s.stormy("validate sh {candidate}/web/check", "hook-timeout 1h")
		c := s.storming(programs.unruly)
		web.swap(hangingEdit)
		c.find("sleep 7654321")
		c.stopsInStorm("validating", 7)
	})
	eachUser(t, "reloading", func(t *testing.T, s *setup) {
		web := s.stormy("reload exec:sh {candidate}/web/check", "hook-timeout 1h")
		c := s.storming(programs.unruly)
		web.swap(hangingEdit)
		c.find("sleep 7654321")
		c.stopsInStorm("reloading", 7)
	})
	eachUser(t, "restarting", func(t *testing.T, s *setup) {
		web := s.stormy("reload restart", "stop-signal USR1", "stop-timeout 1h")
		c := s.storming(programs.unruly)
		web.swap(hangingEdit)
		c.Says("asked", 1)
		c.Signal(syscall.SIGTERM)
		c.logs("stop requested", 1)
		c.signalProcess(c.find(programs.unruly+" wild"), syscall.SIGTERM)
		c.endsInStorm("restarting", 7)
	})
	eachUser(t, "draining", func(t *testing.T, s *setup) {
		web := s.stormy("reload restart")
		s.flag("--drain-timeout", "6s")
		c := s.storming(programs.unruly, ignoresTERM)
		web.swap(hangingEdit)
		c.logs("app exited", 1)
		c.stopsInStorm("draining", 143)
		c.wantLogged("leftovers killed: they did not stop in time", 1)
	})
	eachUser(t, "starting", stopWhileStarting)
}

func stopWhileStarting(t *testing.T, s *setup) {
	web := s.stormy("reload restart")
	program := s.copyOf(programs.unruly)
	c := s.storming(program)
	next, err := os.OpenFile(program+".next", os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	defer next.Close() // what is open for writing can't be executed: ETXTBSY of execve(2)
	if err := os.Rename(program+".next", program); err != nil {
		t.Fatal(err)
	}
	web.swap(hangingEdit)
	c.logs("app not started", 1)
	c.stopsInStorm("starting", 143)
}

// stormy is a volume with a hook that hangs in its second state, and lines for it.
func (s *setup) stormy(lines ...string) *volume {
	s.t.Helper()
	s.line("link web/a %s", s.target("a"))
	s.line("link web/check %s reload=none", s.target("check"))
	s.lines = append(s.lines, lines...)
	if !strings.Contains(strings.Join(lines, ""), "drain") {
		s.line("drain-timeout 1m")
	}
	web := s.volume("web")
	web.swap(keys{"a": "first", "check": "exit 0"})
	return web
}

func (c *confit) stopsInStorm(phase string, code int) {
	c.t.Helper()
	c.Signal(syscall.SIGTERM)
	c.endsInStorm(phase, code)
}

// endsInStorm waits for the end. The phase is the one in which TERM came in.
func (c *confit) endsInStorm(phase string, code int) {
	c.t.Helper()
	c.Ends(code)
	c.wantCount("leftovers that cleaned up", len(c.Texts("stdout", "cleaned")), 1)
	if e := c.logs("stop requested", 1); e["phase"] != phase {
		c.t.Errorf("TERM came in while %s, not %s", e["phase"], phase)
	}
}

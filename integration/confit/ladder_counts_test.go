package confit

import (
	"errors"
	"os"
	"regexp"
	"syscall"
	"testing"
	"time"

	"confit/integration/internal/harness"
)

// The app of these tests asks confit to stop when a preStop hook has ended it, as the platform does. With the file hangs it doesn't stop.
const hooked = `trap '[ -e hangs ] || exit 0' TERM
trap '[ ! -e hooked ] || { rm hooked; trap "" TERM; (sleep 0.1; kill -TERM 1) & }; exit 6' USR1`

// waysToEnd are those in which a container may end.
var waysToEnd = map[rune]func(l ladder, c *confit){
	'x': func(_ ladder, c *confit) { c.ends(syscall.SIGUSR1) }, // by itself, with 6
	'0': func(_ ladder, c *confit) { c.ends(syscall.SIGUSR2) }, // by itself, with 0
	't': func(_ ladder, c *confit) { c.Signal(syscall.SIGTERM) },
	'p': func(l ladder, c *confit) { // by a preStop hook
		l.write(l.path("hooked"), "")
		c.ends(syscall.SIGUSR1)
	},
	'k': func(l ladder, c *confit) { // by TERM, and then KILL
		l.write(l.path("hangs"), "")
		c.Signal(syscall.SIGTERM)
		c.Eventually("the end of the trial", func() bool { return !exists(l.path("state", "trial")) })
		c.Kill()
		_ = os.Remove(l.path("hangs"))
	},
	'K': func(l ladder, c *confit) { // the kernel kills all of it, for want of memory
		l.onTrial(c)
		c.Kill()
	},
	'b': func(l ladder, c *confit) { // the node starts anew
		path := l.onTrial(c)
		c.Kill()
		text, err := os.ReadFile(path)
		text = regexp.MustCompile(`"boot":"[^"]*"`).ReplaceAll(text, []byte(`"boot":"another"`))
		if err = errors.Join(err, os.WriteFile(path, text, 0o644)); err != nil {
			l.t.Fatal(err)
		}
	},
}

// ends has the app end. A signal that comes through confit could ask for a stop.
func (c *confit) ends(sig syscall.Signal) {
	c.t.Helper()
	c.signalProcess(c.find("starts on"), sig)
}

// endings are rows of such ends: the first one of a container in which the edit came by a reload, the others of those that follow, one after
// another. After some of them confit goes down.
var endings = map[string]struct {
	ends string
	down bool
}{
	"twice":                  {"txx", true},
	"once":                   {"tx", false},
	"long_after_reloads":     {"xx", false}, // the app wasn't started on it
	"stops":                  {"ttkkx", false},
	"stops_in_between":       {"txtkx", true}, // and a stop says nothing
	"well_in_between":        {"tx0x", false},
	"well_and_twice":         {"tx0xx", true},
	"pre_stop_at_the_first":  {"tppx", false},
	"pre_stop_at_the_second": {"txp", false},
	"after_such_a_stop":      {"txpx", true},
	"killed":                 {"tKK", true},
	"killed_once":            {"tK", false},
	"killed_and_died":        {"tKx", true},
	"died_and_killed":        {"txK", true},
	"reboots":                {"tbbx", false},
	"reboots_in_between":     {"txbx", true},
}

func TestLadder_what_counts(t *testing.T) {
	t.Parallel()
	for name, test := range endings {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLadder(t, "signal:HUP", "500ms")
			l.world(hooked)
			c := l.begins("first")
			l.edits(c, "second")
			c.soaks(2, "false")
			l.soaksFor("1h")
			for i, end := range test.ends {
				if i > 0 {
					c = l.runs()
				}
				c.Says("serves second", 1)
				waysToEnd[end](l, c)
				if test.down && end == 'x' && i == len(test.ends)-1 {
					break
				}
				harness.Eventually(t, "the end", func() bool { return !c.Alive() })
				if code := c.State().ExitCode(); end == 'x' && code != 6 || end == '0' && code != 0 {
					t.Errorf("confit ended with %d after %c", code, end)
				}
			}
			if !c.Alive() {
				c = l.runs()
			}
			if test.down {
				c.wantDown("first")
				return
			}
			c.Says("serves second", 1)
			c.wantLogged(goesDown, 0)
		})
	}
}

// downOnTwo is a container on the second of three rungs. It stays there for an hour.
func downOnTwo(t *testing.T) (ladder, *confit) {
	t.Helper()
	l := newLadder(t, "signal:HUP", "500ms")
	c := l.begins("first")
	l.edits(c, "second")
	c.soaks(2, "false")
	l.edits(c, "never")
	c.soaks(3, "false")
	l.hears("never", "accepted, mounted", "soaked, mounted")
	c.stops(0)
	l.soaksFor("1h")
	l.fails(3)
	c = l.runs()
	c.wantDown("second")
	l.noted(c)
	return l, c
}

// Where the app ends badly on a lower rung, it is started on the next one, and that confit is killed counts there as well. When nothing is
// left, the top is in force again.
func TestLadder_ends_on_a_lower_rung(t *testing.T) {
	t.Parallel()
	for name, killed := range map[string]bool{"died": false, "killed": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, c := downOnTwo(t)
			if killed {
				waysToEnd['K'](l, c)
				c = l.runs()
			} else {
				waysToEnd['x'](l, c)
			}
			c.Says("serves first", 1)
			c.wantLogged(isRejected, 0)
			if killed {
				waysToEnd['K'](l, c)
				c = l.runs()
			} else {
				waysToEnd['x'](l, c)
			}
			c.logs(backOnTop, 1)
			if !killed {
				c.Ends(6)
				c = l.runs()
			}
			c.Ends(3) // the row begins at none
			c = l.runs()
			c.wantDown("second")
			l.hears("never", "accepted, mounted", "soaked, mounted", "relapsed at soak, stored, more within 14730")
		})
	}
}

// A container that starts while the app is on a lower rung begins there. What is above is rejected when the app has lived there.
func TestLadder_starts_on_a_lower_rung(t *testing.T) {
	t.Parallel()
	l, c := downOnTwo(t)
	for range 2 {
		c.stops(0)
		c = l.runs()
		c.Says("serves second", 1)
		c.tells(3, "the lower rung", func(st report) bool {
			return st.GoneDown.Reason != "" && st.GoneDown.SoaksAt != nil && time.Until(*st.GoneDown.SoaksAt) > time.Minute && st.Rejection.Step == ""
		})
		c.wantStarts("never", 0)
	}
	c.stops(0)
	l.soaksFor("1s")
	c = l.runs()
	l.wantBlamed(c, 1)
	c.soaks(1, "true")
	c.wantStarts("never", 0)
}

// An edit that comes while the app is on a lower rung is a candidate like any other. One that fails is taken back to that rung. One that is
// accepted is the new top, and what the app had died of is rejected.
func TestLadder_edit_on_a_lower_rung(t *testing.T) {
	t.Parallel()
	l, c := downOnTwo(t)
	l.line("validate sh -c '! grep -q bad {candidate}/web/text'")
	c.stops(0)
	c = l.runs()
	c.Says("serves second", 1)
	l.web.swap(keys{"text": "bad"})
	c.wantRejected("validate", 1)
	c.tells(3, "the lower rung", func(st report) bool { return st.GoneDown.Reason != "" && st.Live.Hash == st.Accepted.Hash })
	l.web.swap(keys{"text": "fixed"})
	c.accepts(1)
	c.Says("serves fixed", 1)
	l.hears("never", "accepted, mounted", "soaked, mounted", "relapsed at soak, stored, more within 14730", "rolled-back at soak, stored")
	c.tells(0, "that all is well", report.quiet)
}

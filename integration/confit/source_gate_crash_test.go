package confit

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// The system calls that take a swap through the gate. The next confit ends with the new state, and of each gate that was asked the
// outcome is told before the next one is.
func crashInGate(t *testing.T, stride int) {
	s, web := newCrash(t, maxSteps)
	diary := s.keepsDiary()
	s.killSteps(web, stride, func(_ *confit, n int) func() bool {
		web.swap(crashKeys(n))
		return func() bool { return s.settled(n, maxSteps) && s.outcomes() == "" }
	})
	wantTold(t, diary)
}

// The same until the app has lived with the swap for --soak, and that is told, too.
func crashInLate(t *testing.T, stride int) {
	s, web := newCrash(t, maxSteps)
	diary := s.keepsDiary()
	s.flag("--soak", "200ms")
	web.swap(crashKeys(0))
	c := s.recover(0, maxSteps)
	for n, step := range steps(stride) {
		c.Eventually("that it has soaked", c.soaked) // else the kill would be a death
		result := c.KillAt(step)
		web.swap(crashKeys(n))
		harness.Eventually(t, "end of the edit or of confit", func() bool { return !c.Alive() || s.settled(n, maxSteps) && c.soaked() })
		if c.Alive() {
			c.Kill()
			t.Logf("killed %d times within %d steps; %s", n-1, step-1, result())
			wantTold(t, diary)
			return
		}
		result()
		c.wantKilled()
		c = s.recover(n, maxSteps)
	}
	t.Errorf("an edit never came to its end within %d steps", maxSteps)
}

// soaked reports that the app has lived with what is accepted for --soak, in this container or, by a start, in one before, and that this is
// told.
func (c *confit) soaked() bool {
	var noted struct {
		Ladder []struct{ Soaked, Durable bool }
	}
	if json.Unmarshal([]byte(c.setup.noteText()), &noted) != nil || c.setup.outcomes() != "" || len(noted.Ladder) == 0 {
		return false
	}
	top := noted.Ladder[0]
	return top.Durable || top.Soaked && len(c.entries(hasSoaked)) > 0
}

// keepsDiary has a gate and a report write down what they hear of.
func (s *setup) keepsDiary() (path string) {
	path = s.path("diary")
	s.write(path, "")
	s.line("gate sh -c 'echo asked $CONFIT_HASH >>%s'", path)
	s.line("report sh -c '! grep -q $CONFIT_HASH %s || echo told $CONFIT_HASH $CONFIT_OUTCOME >>%s'", path, path)
	s.line("retry 100ms")
	return path
}

// wantTold checks that of each gate an outcome is told before the next one is asked, and nothing more than twice: confit may be killed when
// the hook has ended, and before that is noted.
func wantTold(t *testing.T, diary string) {
	t.Helper()
	text, err := os.ReadFile(diary)
	if err != nil {
		t.Fatal(err)
	}
	owed, gates, told := "", 0, map[string]int{}
	for line := range strings.Lines(string(text)) {
		switch words := strings.Fields(line); {
		case words[0] == "asked" && owed != "" && words[1] != owed:
			t.Errorf("asked about %s before it was told how %s ended", words[1], owed)
		case words[0] == "asked":
			owed, gates = words[1], gates+1
		default:
			if told[line]++; told[line] > 2 {
				t.Errorf("%q %d times", line, told[line])
			}
			if words[1] == owed {
				owed = ""
			}
		}
	}
	if owed != "" || gates < 3 {
		t.Errorf("%d gates were asked, and it wasn't told how %q ended", gates, owed)
	}
	if t.Failed() {
		t.Logf("diary:\n%s", text)
	}
}

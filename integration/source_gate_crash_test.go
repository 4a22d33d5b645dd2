package integration

import (
	"os"
	"strings"
	"testing"
)

// The system calls that take a swap through the gate. The next confit ends with the new state, and of each gate that was asked the
// outcome is told before the next one is.
func crashInGate(t *testing.T, stride int) {
	s, web := newCrash(t, maxSteps)
	diary := s.path("diary")
	s.write(diary, "")
	s.line("gate sh -c 'echo asked $CONFIT_HASH >>%s'", diary)
	s.line("report sh -c '! grep -q $CONFIT_HASH %s || echo told $CONFIT_HASH $CONFIT_OUTCOME >>%s'", diary, diary)
	s.line("retry 100ms")
	s.killSteps(web, stride, func(_ *confit, n int) func() bool {
		web.swap(crashKeys(n))
		return func() bool { return s.settled(n, maxSteps) && s.recorded() == "" }
	})
	text, err := os.ReadFile(diary)
	if err != nil {
		t.Fatal(err)
	}
	owed, gates := "", 0
	for line := range strings.Lines(string(text)) {
		switch words := strings.Fields(line); {
		case words[0] == "asked" && owed != "" && words[1] != owed:
			t.Errorf("asked about %s before it was told how %s ended", words[1], owed)
		case words[0] == "asked":
			owed = words[1]
			gates++
		case words[1] == owed:
			owed = ""
		}
	}
	if owed != "" || gates < 3 {
		t.Errorf("%d gates were asked, and it wasn't told how %q ended", gates, owed)
	}
	if t.Failed() {
		t.Logf("diary:\n%s", text)
	}
}

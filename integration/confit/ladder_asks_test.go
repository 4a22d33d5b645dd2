package confit

import "testing"

// A peer of the newest edition alone is away for two starts, as a name that can't be resolved is. The app goes back to the edition before.
// A validator that notices is asked then: the newest edition is refused, tried again, and in force once the peer is back.
func TestLadder_asks(t *testing.T) {
	t.Parallel()
	for name, isCandidate := range map[string]bool{"before": true, "after": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLadder(t, "signal:HUP", "1s")
			file := l.target("text")
			if isCandidate {
				file = "{candidate}/web/text"
			}
			l.line(`validate sh -c 'grep -q "$(sed "s/.* //" "$1")" "$0"' %s %s`, l.path("database"), file)
			l.world(database)
			l.takes("old", "new")
			c := l.begins("good old")
			l.edits(c, "good new")
			c.soaks(2, "false")
			l.takes("old")
			c.Ends(4) // after a reload: that counts for nobody
			l.soaksFor("1m")
			l.fails(4)
			c = l.runs()
			if e := c.logs(goesDown, 1); e["validated"] == "" {
				t.Errorf("logged %v, want that the validator will be asked", e)
			}
			c.wantDown("good old")
			if e := c.logs(isRejected, 1); e["step"] != "validate" || e["nextTry"] == "" || e["todo"] == "" {
				t.Errorf("logged %v, want that the validator refuses the newest edition now", e)
			}
			c.tells(3, "a candidate that was refused", func(st report) bool {
				return st.GoneDown.Reason == "" && st.Rejection.Step == "validate" && st.Rejection.NextTry != nil
			})
			l.takes("old", "new")
			c.accepts(1)
			c.Says("serves good new", 1)
			c.tells(0, "that all is well", report.quiet)
		})
	}
}

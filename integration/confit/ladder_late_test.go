package confit

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// An app dies of an edit a second after each start, as a JVM may after eight, and its probation is shorter. The first death ends the
// container. After the second one the app is started on what was accepted before, and lives there. Only then the edit is rejected. No
// container tries it again. A fixed edit is taken up.
func TestLadder_dies_late(t *testing.T) {
	t.Parallel()
	l := newLadder(t, "restart", "4s")
	c := l.begins("first")
	l.edits(c, "late")
	if e := c.logs(died, 1); e["level"] != "WARN" || e["deaths"] != "1" || e["lived"] == "" || e["todo"] == "" {
		t.Errorf("logged %v, want the first death", e)
	}
	c.Ends(3)
	diary := []string{"accepted, mounted", "relapsed at soak, stored, more within 346"}
	l.hears("late", diary...)

	c = l.runs()
	if e := c.logs(goesDown, 1); e["level"] != "WARN" || e["reason"] == "" || e["above"] == "" || e["soak"] != "4s" {
		t.Errorf("logged %v, want why the app is started on what", e)
	}
	c.Says("serves first", 1)
	c.tells(3, "the lower rung", func(st report) bool {
		return st.GoneDown.From.Hash == st.Mounted.Hash && st.GoneDown.Reason != "" && st.GoneDown.SoaksAt != nil &&
			st.Live.Hash != st.Mounted.Hash && st.Counters.Rejections == 0
	})
	l.hears("late", diary...)
	l.wantBlamed(c, 1)
	l.hears("late", append(diary, "rolled-back at soak, stored")...)
	c.wantStarts("late", 1)
	c.Kill()

	c = l.runs()
	c.Says("serves first", 1)
	c.tells(3, "the rejection", func(st report) bool { return st.Rejection.Step == "soak" && st.Rejection.Hash == st.Mounted.Hash })
	l.edits(c, "fixed")
	c.Says("serves fixed", 1)
	c.wantStarts("late", 0)
}

// inPods runs a test in a pod whose first edition is durable, and in one that is so new that nothing has soaked in it.
func inPods(t *testing.T, test func(l ladder, c *confit)) {
	t.Parallel()
	for name, begin := range map[string]func(l ladder) *confit{
		"durable":   func(l ladder) *confit { return l.begins("first") },
		"fresh_pod": func(l ladder) *confit { return l.deploys("first") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLadder(t, "restart", "4s")
			test(l, begin(l))
		})
	}
}

// The second of two edits is as bad as the first. The app comes back to what was there before both. It has died of the first one before the
// second came, so that isn't kept.
func TestLadder_two_late_edits(t *testing.T) {
	inPods(t, func(l ladder, c *confit) {
		l.edits(c, "late 1")
		c.Ends(3)
		l.web.swap(keys{"text": "late 2"})
		c = l.runs()
		c.accepts(1)
		c.Ends(3)
		l.bothGo(1)
	})
}

// The second edit comes while the app still lives with the first one. Both are gone back from, one after the other.
func TestLadder_two_late_edits_at_once(t *testing.T) {
	inPods(t, func(l ladder, c *confit) {
		l.edits(c, "later 1", "late 2")
		c.Ends(3)
		l.bothGo(2)
	})
}

func (l ladder) bothGo(blamed int) {
	l.t.Helper()
	c := l.runs()
	c.Says("serves first", 1)
	l.wantBlamed(c, blamed)
	l.hears("late 2", "accepted, mounted", "relapsed at soak, stored, more within 346", "rolled-back at soak, stored")
	l.edits(c, "fixed")
	c.Says("serves fixed", 1)
}

// A pod is edited before anything has soaked in it.
func TestLadder_fresh_pod(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		action, edit string
		end          func(c *confit)
	}{
		"restart": {"restart", "late", func(c *confit) { c.Ends(3) }},
		"reload":  {"signal:HUP", "never", func(c *confit) { c.stops(0) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLadder(t, test.action, "4s")
			c := l.deploys("first")
			l.edits(c, test.edit)
			test.end(c)
			if name == "reload" {
				l.fails(3)
			}
			c = l.runs()
			c.wantDown("first")
			l.wantBlamed(c, 1)
		})
	}
}

// A new pod has nothing but what is mounted and a snapshot. The app dies of what is mounted only after its probation.
func TestLadder_fallback(t *testing.T) {
	t.Parallel()
	l := newLadder(t, "restart", "4s")
	l.fallsBackOn("snapshot")
	c := l.deploys("late")
	c.Ends(3)
	c = l.runs()
	c.Says("serves snapshot", 1)
	l.wantBlamed(c, 1)
	c.tells(3, "the fallback", func(st report) bool { return st.Live.Source == "fallback" && st.Accepted.Source == "fallback" })
	c.Kill()
	c = l.runs()
	c.Says("serves snapshot", 1)
	c.wantStarts("late", 0)
	l.edits(c, "fixed")
	c.Says("serves fixed", 1)
}

// What was taken back is reverted and put back within the hour. Neither beside the app nor by the next container it is tried: to find what
// is in force mounted proves nothing of it.
func TestLadder_reverted_and_put_back(t *testing.T) {
	t.Parallel()
	l := newLadder(t, "restart", "4s")
	c := l.takenBack("late")
	for range 2 {
		l.web.swap(keys{"text": "first"})
		c.tells(0, "what is in force", report.quiet)
		l.web.swap(keys{"text": "late"})
		c.tells(3, "that it isn't tried", notBeforeAnHour)
	}
	c.wantStarts("late", 1)
	c.Kill()
	c = l.runs()
	c.Says("serves first", 1)
	c.tells(3, "that it isn't tried", notBeforeAnHour)
	c.wantStarts("late", 0)
}

func notBeforeAnHour(st report) bool {
	r := st.Rejection
	return r.Step == "soak" && r.Hash == st.Mounted.Hash && r.NextTry != nil && time.Until(*r.NextTry) > time.Minute
}

// Something new that is accepted from the mount ends it: the cause may be gone with the rest.
func TestLadder_tried_after_another_edit(t *testing.T) {
	t.Parallel()
	l := newLadder(t, "restart", "4s")
	c := l.takenBack("late")
	l.edits(c, "second", "late")
	c.Ends(3)
}

// The app was on a lower rung, and the state directory was emptied in part. The top is started.
func TestLadder_lower_rung_is_gone(t *testing.T) {
	t.Parallel()
	l := newLadder(t, "restart", "4s")
	c := l.begins("first")
	l.edits(c, "late")
	c.Ends(3)
	l.soaksFor("1h")
	c = l.runs()
	c.wantDown("first")
	l.noted(c)
	c.stops(0)
	if err := os.RemoveAll(filepath.Join(l.state, "generations", "1")); err != nil {
		t.Fatal(err)
	}
	c = l.runs()
	c.Says("starts on late", 1)
}

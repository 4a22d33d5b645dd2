package confit

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

// troubles are reasons of its own that a start has to fail: what the app meets, what leads to it, and how that passes.
var troubles = map[string]struct {
	code          int
	world         string
	begin, passes func(l ladder)
}{
	"stale_lock": {5, `[ ! -e lock ] || { rm lock; exit 5; }`, func(l ladder) { l.write(l.path("lock"), "") }, func(ladder) {}},
	"port_in_use": {98, `flock -n port true || exit 98`, func(l ladder) { l.holdPort() }, func(l ladder) {
		if err := os.Remove(l.path("port")); err != nil {
			l.t.Fatal(err)
		}
	}},
	"peer_is_late": {7, `[ -e peer ] || sleep 0.05; [ -e peer ] || exit 7`, func(ladder) {}, func(l ladder) {
		l.write(l.path("peer"), "")
	}},
}

// holdPort takes what the app needs for itself.
func (l ladder) holdPort() {
	l.t.Helper()
	port, err := os.Create(l.path("port"))
	if err == nil {
		err = syscall.Flock(int(port.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	}
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { port.Close() })
}

// The app was told of two edits by a reload. Its next start fails once, for a reason of its own. The container ends, as without confit,
// and the next one serves the newest edit. Nobody hears of a roll back.
func TestLadder_one_failed_start(t *testing.T) {
	t.Parallel()
	for name, trouble := range troubles {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLadder(t, "signal:HUP", "1s")
			c := l.begins("first")
			l.edits(c, "second")
			c.soaks(2, "false")
			l.hears("second", "accepted, mounted", "soaked, mounted") // which another edit would take the place of
			l.edits(c, "third")
			c.soaks(3, "false")
			l.hears("third", "accepted, mounted", "soaked, mounted")
			c.stops(0)
			l.soaksFor("4s")
			trouble.begin(l)
			l.world(trouble.world)
			l.fails(trouble.code)
			trouble.passes(l)
			c = l.runs()
			c.soaks(1, "true")
			c.Says("serves third", 1)
			c.wantLogged("app started", 1)
			c.wantLogged(isRejected, 0)
			c.tells(0, "that all is well", report.quiet)
			l.hears("third", "accepted, mounted", "soaked, mounted", "relapsed at soak, stored, more within 346", "soaked, mounted")
		})
	}
}

// Twenty edits come by reloads, and the app lives with each for long. But no start survives the last one: back to the one before. If no start
// survives that, back to the first, on which a start has lived.
func TestLadder_twenty_edits(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		nineteenth, serves string
		blamed             int
	}{
		"to_the_nineteenth": {"edit 19", "edit 19", 1},
		"to_the_first":      {"never 19", "edit 0", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLadder(t, "signal:HUP", "200ms")
			l.flags[1] = "50ms"
			c := l.begins("edit 0")
			for n := 1; n <= 20; n++ {
				text := map[int]string{19: test.nineteenth, 20: "never 20"}[n]
				if text == "" {
					text = fmt.Sprint("edit ", n)
				}
				l.edits(c, text)
				c.soaks(n+1, "false")
			}
			c.wantLogged("app started", 1)
			c.keepsOnly("1", "20", "21")
			c.stops(0)
			l.soaksFor("4s")
			l.fails(3)
			c = l.runs()
			c.wantDown(test.serves)
			l.wantBlamed(c, test.blamed)
			c.wantStarts("never 20", 1)
			c.soaks(1, "true")
			c.keepsOnly(fmt.Sprint(l.stored().Number))
		})
	}
}

// An edit kills the app, and no start survives what it is taken back to, as only a reload had accepted that. That is the first death on it.
func TestLadder_taken_back_to_a_bad_one(t *testing.T) {
	t.Parallel()
	l := newLadder(t, "signal:HUP", "2s")
	l.provesFor("3s")
	c := l.begins("first")
	l.edits(c, "never")
	l.web.swap(keys{"text": "worse"})
	c.wantRejected("probation", 1)
	c.Ends(3)
	c.wantStarts("never", 1)
	c = l.runs()
	c.wantRejected("probation", 1)
	c.wantDown("first")
	if e := c.logs(isRejected, 2); e["step"] != "soak" {
		t.Errorf("logged %v, want step soak", e)
	}
	c.wantStarts("worse", 1)
	c.wantStarts("never", 1)
	l.edits(c, "fixed")
	c.Says("serves fixed", 1)
}

// What the app has died of once isn't mounted any more. It is started on the edit that fixes it.
func TestLadder_mended_before_the_start(t *testing.T) {
	t.Parallel()
	l := newLadder(t, "signal:HUP", "1s")
	c := l.begins("first")
	l.edits(c, "never")
	c.stops(0)
	l.soaksFor("4s")
	l.fails(3)
	l.web.swap(keys{"text": "fixed"})
	c = l.runs()
	c.soaks(1, "true")
	c.Says("serves fixed", 1)
	c.wantStarts("never", 0)
	c.wantLogged("app started", 1)
	c.wantLogged(isRejected, 0)
}

// Nothing was accepted yet, and there is nothing to go back to, or nothing that the app can live on. Each container tries what is mounted.
func TestLadder_first_container(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		text        string
		fails       int
		world, back string
		starts      int
	}{
		"bad_mount":             {"never", 3, "", "", 1},
		"transient":             {"first", 5, "exit 5", "", 1},
		"outage_and_a_fallback": {"first", 5, "exit 5", "snapshot", 2},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLadder(t, "signal:HUP", "1s")
			l.provesFor("3s")
			l.web.swap(keys{"text": test.text})
			l.world(test.world)
			if test.back != "" {
				l.fallsBackOn(test.back)
			}
			for range 3 {
				c := l.runs()
				c.Ends(test.fails)
				c.wantLogged(goesDown, 0)
				c.wantLogged("app started", test.starts)
				if l.stored().Number != 0 {
					t.Errorf("stored: %v", l.stored())
				}
			}
			l.world("")
			l.web.swap(keys{"text": "first"})
			c := l.runs()
			c.soaks(1, "true")
			c.Says("serves first", 1)
		})
	}
}

// The same with a fallback: the first container serves that. What failed in its probation is tried once by the next one.
func TestLadder_first_container_with_a_fallback(t *testing.T) {
	t.Parallel()
	for name, world := range map[string]string{"bad_mount": "", "transient": `case $text in edit*) [ -e up ] || exit 5;; esac`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLadder(t, "signal:HUP", "1s")
			l.provesFor("3s")
			l.fallsBackOn("snapshot")
			l.world(world)
			l.web.swap(keys{"text": map[string]string{"bad_mount": "never", "transient": "edit"}[name]})
			c := l.runs()
			c.wantRejected("probation", 1)
			c.Says("serves snapshot", 1)
			if e := c.accepts(1); e["source"] != "fallback" {
				t.Errorf("logged %v, want the fallback", e)
			}
			c.stops(0)
			l.write(l.path("up"), "")
			c = l.runs()
			if name == "transient" {
				c.Says("serves edit", 1)
				c.accepts(1)
				return
			}
			c.wantRejected("probation", 1)
			c.Says("serves snapshot", 1)
		})
	}
}

// At a start the verify hook fails on what was accepted. That takes nothing back and ends nothing: the app goes on, the status says why, and
// the hook is asked again until it succeeds.
func TestLadder_verify_at_a_start(t *testing.T) {
	t.Parallel()
	s, web, script := newVerified(t, "3s")
	s.flag("--probation", "200ms", "--soak", "1m", "--retry", "300ms")
	c := s.start(s.printer()...)
	c.accepts(1)
	c.Says("ready", 1)
	web.swap(keys{"text": "second"})
	c.accepts(2)
	c.stops(0)
	script("exit 7")
	c = s.start(s.printer()...)
	c.Says("read second", 1)
	c.tells(3, "that it isn't well", func(st report) bool {
		return st.Phase == "running" && st.Live.Hash == st.Mounted.Hash && st.Accepted.Hash == st.Live.Hash
	})
	c.Eventually("why", func() bool { return c.Contains("exit 7") })
	script("exit 0")
	c.tells(0, "that it is well", report.quiet)
	c.wantReads("second")
	c.wantLogged("app started", 1)
	c.wantLogged("rolled back", 0)
	c.wantLogged(goesDown, 0)
	c.stops(0)
}

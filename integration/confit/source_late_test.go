package confit

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// Nobody takes what the first container says at its end: it is tried once more, and the next container tells it, before anything else.
func TestLate_undelivered(t *testing.T) {
	t.Parallel()
	l := newLadder(t, "restart", "1h")
	c := l.deploys("first")
	l.edits(c, "late")
	l.hears("late", "accepted, mounted")
	l.write(l.path("deaf"), "")
	c.Ends(3)
	c.logs("outcome not reported", 1)
	l.lists(c, `"outcome":"relapsed"`)
	if err := os.Remove(l.path("deaf")); err != nil {
		t.Fatal(err)
	}
	c = l.runs()
	c.wantDown("first")
	l.hears("late", "accepted, mounted", "relapsed at soak, stored, more within 14730")
}

// confit is killed in a life that counts: the next one tells that as a relapse. The app lives on, and that is told as well.
func TestLate_killed(t *testing.T) {
	t.Parallel()
	l := newLadder(t, "restart", "1h")
	c := l.deploys("first")
	l.edits(c, "second")
	l.hears("second", "accepted, mounted")
	l.lists(c, "")
	l.onTrial(c)
	c.Kill()
	l.soaksFor("3s")
	c = l.runs()
	l.hears("second", "accepted, mounted", "relapsed at soak, stored, more within 342", "soaked, mounted")
	c.soaks(1, "true")
}

// An app that was only reloaded has lived for --soak: that is told about what is in force, once.
func TestLate_soaked_by_a_reload(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	g.flag("--probation", "100ms", "--soak", "1s")
	g.write(g.path("slow"), `echo "$CONFIT_OUTCOME ${CONFIT_ACCEPTED%"$CONFIT_HASH"}$(cat "$CONFIT_CANDIDATE/web/text")" >>seen`)
	c := g.startWaiting()
	g.answer("second", "exit 0")
	c.Says("read second", 1)
	g.reads(c, "asked second", "told second accepted, mounted", "told second soaked, mounted")
	if seen, err := os.ReadFile(g.path("seen")); err != nil || !strings.HasSuffix(string(seen), "soaked second\n") {
		t.Errorf("the report has seen %q, %v", seen, err)
	}
}

// The end of confit waits for the report, beside the drain: TERM to what is left spares it. Nobody waits for longer than a drain may take;
// then the next confit tells.
func TestLate_stop_tells(t *testing.T) {
	t.Parallel()
	for name, slow := range map[string]string{"slow": "sleep 1", "hangs": "sleep 7654321"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGated(t)
			g.flag("--drain-timeout", map[string]string{"slow": "1m", "hangs": "1s"}[name])
			c := g.start()
			c.Says("read first", 1)
			g.tries(c, 1)
			g.web.swap(keys{"text": "second"})
			g.reads(c, "asked second")
			g.write(g.path("slow"), slow)
			c.Signal(syscall.SIGTERM)
			c.Ends(0)
			if name == "slow" {
				g.reads(c, "asked second", "told second stopped, stored")
				if tries, err := os.ReadFile(g.path("tries")); string(tries) != "x\nx\n" {
					t.Errorf("the report was tried %q, %v", tries, err)
				}
				return
			}
			g.reads(c, "asked second")
			g.lists(c, `"outcome":"stopped"`)
			g.web.swap(keys{"text": "first"})
			if err := os.Remove(g.path("slow")); err != nil {
				t.Fatal(err)
			}
			c = g.start()
			g.reads(c, "asked second", "told second stopped, stored")
		})
	}
}

package integration

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// gatedYoung is an app that dies late of some edits, and a gate that lets them go.
type gatedYoung struct {
	gated
	young young
}

// newAsked starts the app on "good old", and has its gate let an edit go.
func newAsked(t *testing.T, edit string, flags ...string) (gatedYoung, *confit) {
	t.Helper()
	s, web := newProved(t)
	s.lines[1] = "reload restart"
	s.flag(append([]string{"--probation", "200ms", "--young", "4s", "--rescan", "1s"}, flags...)...)
	l := gatedYoung{newHooks(s, web), young{s, web, s.path("database")}}
	l.young.takes("old", "new")
	web.swap(keys{"text": "good old"})
	l.answer(edit, "exit 0")
	c := l.young.runs()
	c.accepts(1)
	web.swap(keys{"text": edit})
	c.accepts(2)
	return l, c
}

// noted waits until the note says that this was told of what is accepted, as in {"asked":true}, and until nothing is left to be told.
func (l gatedYoung) noted(c *confit, told string) {
	l.t.Helper()
	c.Eventually("a note of "+told, func() bool {
		return strings.Contains(l.noteText(), `"told":`+told) && l.outcomes() == ""
	})
}

// An app dies late of what a gate let go. Its first death is told before the container ends, with the time within which more follows; and
// that it was rolled back only when the app has lived longer on what was there before.
func TestLate_relapses(t *testing.T) {
	t.Parallel()
	l, c := newAsked(t, "bad new")
	c.Ends(3)
	diary := []string{"asked bad new", "told bad new accepted, mounted", "told bad new relapsed at relapse, stored, more within 338"}
	l.reads(c, diary...)
	l.noted(c, `{"asked":true,"relapsed":true}`)

	c = l.young.runs()
	c.logs(suspected, 1)
	l.reads(c, diary...)
	c.logs("candidate rejected", 1)
	l.reads(c, append(diary, "told bad new rolled-back at relapse, stored")...)
	l.noted(c, `{"asked":false}`)
}

// The database is down for all: that is no roll back, and the next container says that the hash stays accepted.
func TestLate_all_down(t *testing.T) {
	t.Parallel()
	l, c := newAsked(t, "good new")
	diary := []string{"asked good new", "told good new accepted, mounted"}
	l.reads(c, diary...)
	l.young.takes()
	c.Ends(4)
	c = l.young.runs()
	c.logs(dropped, 1)
	c.Ends(4)
	l.young.takes("old", "new")
	c = l.young.runs()
	l.reads(c, append(diary, "told good new relapsed at relapse, stored, more within 338", "told good new accepted, stored", "told good new settled, mounted")...)
	l.noted(c, `{"asked":true,"relapsed":true,"settled":true}`)
}

// Nobody takes what the first container says at its end: it is tried once more, and the next container tells it, before anything else.
func TestLate_undelivered(t *testing.T) {
	t.Parallel()
	l, c := newAsked(t, "bad new")
	diary := []string{"asked bad new", "told bad new accepted, mounted"}
	l.reads(c, diary...)
	l.write(l.path("deaf"), "")
	c.Ends(3)
	c.logs("outcome not reported", 1)
	l.lists(c, `"outcome":"relapsed"`)
	if err := os.Remove(l.path("deaf")); err != nil {
		t.Fatal(err)
	}
	c = l.young.runs()
	l.reads(c, append(diary, "told bad new relapsed at relapse, stored, more within 338")...)
}

// confit is killed while the app is young: the next one tells that as a relapse. The app lives on, and that is told as well.
func TestLate_killed(t *testing.T) {
	t.Parallel()
	l, c := newAsked(t, "good new", "--young", "12s")
	diary := []string{"asked good new", "told good new accepted, mounted"}
	l.reads(c, diary...)
	l.lists(c, "")
	c.Eventually("the trial", func() bool {
		text, err := os.ReadFile(filepath.Join(l.state, "trial"))
		return err == nil && strings.Contains(string(text), `"step":"publish"`)
	})
	c.Kill()
	c = l.young.runs()
	diary = append(diary, "told good new relapsed at relapse, stored, more within 354")
	l.reads(c, diary...)
	l.reads(c, append(diary, "told good new settled, mounted")...)
	l.noted(c, `{"asked":true,"relapsed":true,"settled":true}`)
}

// An app that was only reloaded has lived for --young: that is told about what is in force, once.
func TestLate_settled_by_a_reload(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	g.flag("--probation", "100ms", "--young", "1s")
	g.write(g.path("slow"), `echo "$CONFIT_OUTCOME ${CONFIT_ACCEPTED%"$CONFIT_HASH"}$(cat "$CONFIT_CANDIDATE/web/text")" >>seen`)
	c := g.startWaiting()
	g.answer("second", "exit 0")
	c.Says("read second", 1)
	g.reads(c, "asked second", "told second accepted, mounted", "told second settled, mounted")
	if seen, err := os.ReadFile(g.path("seen")); err != nil || !strings.HasSuffix(string(seen), "settled second\n") {
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

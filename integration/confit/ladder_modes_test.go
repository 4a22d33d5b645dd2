package confit

import (
	"os"
	"strings"
	"testing"
)

// With --soak 0 nothing is counted, and nothing is kept below the top: a start is as without confit.
func TestLadder_soak_0(t *testing.T) {
	t.Parallel()
	l := newLadder(t, "signal:HUP", "0s")
	c := l.deploys("first")
	l.edits(c, "never")
	c.keepsOnly("2")
	c.stops(0)
	for range 3 {
		l.fails(3)
	}
	l.web.swap(keys{"text": "fixed"})
	c = l.runs()
	c.Says("serves fixed", 1)
}

// Only what differs from replica to replica has changed. That is nothing which another replica could go back from, so it isn't told as a roll
// back.
func TestLadder_local_keys(t *testing.T) {
	t.Parallel()
	l := newLadder(t, "signal:HUP", "2s")
	l.lines[0] += " local"
	l.line("link web/shared %s", l.target("shared"))
	l.write(l.path("report"), `echo "$CONFIT_OUTCOME $CONFIT_STEP $CONFIT_SOURCE" >>all`)
	edit := func(text string) { l.web.swap(keys{"text": text, "shared": "same"}) }
	edit("first")
	c := l.runs()
	c.soaks(1, "true")
	edit("never")
	c.accepts(2)
	c.stops(0)
	l.soaksFor("4s")
	l.fails(3)
	c = l.runs()
	c.wantDown("first")
	l.wantBlamed(c, 1)
	c.Eventually("the report", func() bool { return strings.HasSuffix(l.all(), "rejected soak stored\n") })
	if strings.Contains(l.all(), "rolled-back") {
		t.Errorf("the report was told %q", l.all())
	}
}

func (l ladder) all() string {
	text, _ := os.ReadFile(l.path("all"))
	return string(text)
}

// The app isn't told of an edit. So it lives with it, and that soaks, but only a start on it shows more.
func TestLadder_reload_none(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]string{"good": "second", "bad": "never"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := newLadder(t, "none", "2s")
			c := l.begins("first")
			l.edits(c, edit)
			c.soaks(2, "false")
			c.wantLogged("app started", 1)
			c.keepsOnly("1", "2")
			c.stops(0)
			if name == "bad" {
				l.soaksFor("4s")
				l.fails(3)
				c = l.runs()
				c.wantDown("first")
				l.wantBlamed(c, 1)
				return
			}
			c = l.runs()
			c.soaks(1, "true")
			c.Says("serves second", 1)
			c.keepsOnly("2")
		})
	}
}

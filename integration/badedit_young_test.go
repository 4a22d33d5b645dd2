package integration

import (
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"syscall"
	"testing"
)

// lateDeath is an app that dies of "bad" a second after its start, when its probation is over, as a JVM does; and of anything if
// the database doesn't take its password any more.
const lateDeath = `
trap 'exit 0' TERM
text=$(cat "$0"); echo "serves $text"
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.05; done
case $text in bad*) exit 3;; esac
while grep -q "${text##* }" "$1"; do sleep 0.05; done
exit 4`

const (
	relapsed  = "app ended while its generation is young"
	suspected = "generation suspected: the app dies of it late"
	dropped   = "suspicion dropped: the app ended on the generation before, too"
)

// young is a setup of such an app, after an edit that restarts it was accepted.
type young struct {
	*setup
	web      *volume
	database string
}

// newYoung starts the app on "good old", and has it take an edit.
func newYoung(t *testing.T, edit string, flags ...string) (young, *confit) {
	t.Helper()
	s, web := newProved(t)
	s.lines[1] = "reload restart"
	y := young{s, web, s.path("database")}
	s.flag(append([]string{"--probation", "200ms", "--young", "4s", "--rescan", "1s"}, flags...)...)
	y.takes("old", "new")
	web.swap(keys{"text": "good old"})
	c := y.runs()
	c.accepts(1)
	web.swap(keys{"text": edit})
	c.accepts(2)
	return y, c
}

// takes says which passwords the database takes; none: it is down.
func (y young) takes(passwords ...string) {
	text := ""
	for _, p := range passwords {
		text += p + "\n"
	}
	y.write(y.database, text)
}

func (y young) runs() *confit {
	y.t.Helper()
	return y.start("sh", "-c", lateDeath, y.target("text"), y.database)
}

// An app dies of an edit a second after each start, and its probation is shorter. The first death ends the container. After the
// second one the app is started on what was accepted before, lives longer there, and the edit is rejected. No container tries it
// again. A mended edit is taken up.
func TestYoung_dies_late(t *testing.T) {
	t.Parallel()
	y, c := newYoung(t, "bad new")
	c.logs(relapsed, 1)
	c.Ends(3)

	c = y.runs()
	c.logs(suspected, 1)
	c.logs("rolled back", 1)
	c.Says("serves good old", 1)
	c.tells(3, "the suspicion", func(st report) bool { return st.Rejection.Step == "relapse" && st.Counters.Rejections == 0 })
	e := c.logs("candidate rejected", 1)
	if e["step"] != "relapse" || e["level"] != "ERROR" {
		t.Errorf("logged %v, want step relapse", e)
	}
	c.tells(3, "the rejection", func(st report) bool {
		return st.Rejection.Step == "relapse" && st.Rejection.Hash == st.Mounted.Hash && st.Counters.Rejections == 1
	})
	c.Eventually("the note of it", func() bool { return y.stored().Number == 1 })
	c.Kill()

	c = y.runs()
	if e := c.logs("candidate rejected", 1); e["step"] != "relapse" {
		t.Errorf("logged %v, want step relapse", e)
	}
	c.Says("serves good old", 1)
	c.wantCount("starts on the edit", len(c.Texts("stdout", "serves bad")), 0)
	y.web.swap(keys{"text": "good new"})
	c.accepts(1)
	c.Says("serves good new", 1)
}

// The database is down for all: the app ends on the generation before as well, and the container ends with its code. When the
// database is back, the edit is served.
func TestYoung_all_down(t *testing.T) {
	t.Parallel()
	for name, back := range map[string][]string{
		"database_down":    {"old", "new"},
		"password_rotated": {"new"}, // the generation before could never work again
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y, c := newYoung(t, "good new")
			y.takes()
			c.logs(relapsed, 1)
			c.Ends(4)
			c = y.runs()
			c.logs(suspected, 1)
			c.logs(dropped, 1)
			c.Ends(4)
			c.wantLogged("candidate rejected", 0)
			c = y.runs() // and no more is suspected
			c.Ends(4)
			c.wantLogged(suspected, 0)
			y.takes(back...)
			c = y.runs()
			c.Says("serves good new", 1)
			c.Eventually("the generation settled", func() bool { return y.settled() })
			c.wantLogged(suspected, 0)
		})
	}
}

// settled reports that nothing is gone back to from what is accepted.
func (y young) settled() bool {
	text, err := os.ReadFile(filepath.Join(y.state, "note.json"))
	return err == nil && regexp.MustCompile(`"accepted":\{"number":2,[^{]*"settled":true`).Match(text)
}

// The database comes back while the app runs on the generation before: there it lives longer, so the edit is taken for the cause.
// That is the price. The next edit is tried.
func TestYoung_blames_an_edit(t *testing.T) {
	t.Parallel()
	y, c := newYoung(t, "good new")
	y.takes()
	c.Ends(4)
	c = y.runs()
	c.logs(suspected, 1)
	y.takes("old", "new")
	c.logs("candidate rejected", 1)
	y.web.swap(keys{"text": "better new"})
	c.accepts(1)
	c.Says("serves better new", 1)
}

// The kernel kills all of the container while the app is young, twice: that counts as two deaths. When the node started anew in
// between it doesn't.
func TestYoung_killed(t *testing.T) {
	t.Parallel()
	for name, reboots := range map[string]bool{"memory": false, "node_reboots": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			y, c := newYoung(t, "good new", "--young", "1m")
			trial := filepath.Join(y.state, "trial")
			for i := range 2 {
				if i > 0 {
					c = y.runs()
					c.Says("serves good new", 1)
				}
				c.Eventually("the trial", func() bool {
					text, err := os.ReadFile(trial)
					return err == nil && regexp.MustCompile(`"step":"publish"`).Match(text)
				})
				c.Eventually("the note", func() bool { return y.stored().Number == 2 && y.relapses(i, reboots) })
				c.Kill()
				if reboots {
					text, err := os.ReadFile(trial)
					text = regexp.MustCompile(`"boot":"[^"]*"`).ReplaceAll(text, []byte(`"boot":"another"`))
					if err = errors.Join(err, os.WriteFile(trial, text, 0o644)); err != nil {
						t.Fatal(err)
					}
				}
			}
			c = y.runs()
			if reboots {
				c.Says("serves good new", 1)
				c.wantLogged(suspected, 0)
				return
			}
			c.logs(suspected, 1)
			c.Says("serves good old", 1)
		})
	}
}

// relapses reports that as many are noted as there were kills.
func (y young) relapses(n int, reboots bool) bool {
	text, err := os.ReadFile(filepath.Join(y.state, "note.json"))
	return err == nil && (n == 0 || reboots) != regexp.MustCompile(`"relapses":1`).Match(text)
}

// A stop says nothing about a young generation, whatever the app's code. Nor does a job that ends well.
func TestYoung_stop(t *testing.T) {
	t.Parallel()
	y, c := newYoung(t, "good new")
	for range 3 {
		c.Says("serves good new", 1)
		c.Signal(syscall.SIGTERM)
		c.Ends(0)
		c = y.runs()
	}
	c.wantLogged(suspected, 0)
	if y.relapses(1, false) {
		t.Error("a stop counts as a relapse")
	}
}

// Without a generation before it the fallback is taken, once.
func TestYoung_fallback(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.lines[1] = "reload restart"
	y := young{s, web, s.path("database")}
	y.takes("old", "new")
	backup := s.mkdir("fallback/web")
	s.write(filepath.Join(backup, "text"), "good old")
	s.flag("--probation", "200ms", "--young", "4s", "--fallback", filepath.Dir(backup))
	web.swap(keys{"text": "bad new"})
	y.runs().Ends(3)
	c := y.runs()
	c.logs(suspected, 1)
	c.logs("trying the fallback: what is mounted can't be used", 1)
	c.Says("serves good old", 1)
	c.accepts(1)
	c.Kill()
	c = y.runs()
	c.Says("serves good old", 1)
	c.wantCount("starts on the edit", len(c.Texts("stdout", "serves bad")), 0)
}

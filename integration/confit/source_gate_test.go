package confit

import (
	"os"
	"strings"
	"syscall"
	"testing"
)

// gated is a setup with a gate and a report, both scripts. Each writes to one diary what it is asked or told of, in the words of the
// candidate's key text. "first" is accepted.
type gated struct {
	*setup
	web *volume
}

// The gate answers with what stands in the file answer.TEXT, as soon as there is one. The report isn't taken while there is a
// file deaf.
const (
	gateScript = `text=$(cat "$CONFIT_CANDIDATE/web/text")
echo "$CONFIT_HASH $text" >>names
echo "asked $text${CONFIT_STARTING:+ at the start}" >>diary
echo "$CONFIT_ACCEPTED $CONFIT_BOUND" >facts
[ -e stubborn ] && trap '' TERM
while ! [ -e "answer.$text" ]; do sleep 0.05; done
. "./answer.$text"
`
	reportScript = `echo x >>tries
[ -e deaf ] && exit 1
[ -e slow ] && . ./slow
text=$(sed -n "s/^$CONFIT_HASH //p" names | head -n 1)
echo "told ${text:-of another} $CONFIT_OUTCOME${CONFIT_STEP:+ at $CONFIT_STEP}, $CONFIT_SOURCE${CONFIT_BOUND:+, more within $CONFIT_BOUND}" >>diary
`
)

func newGated(t *testing.T) gated {
	t.Helper()
	s, web := newProved(t)
	web.swap(keys{"text": "first"})
	s.accept(app()...)
	s.flag("--soak", "1m") // else all is well at once, and that is told as well
	return newHooks(s, web)
}

// newHooks gives a setup the two scripts.
func newHooks(s *setup, web *volume) gated {
	g := gated{s, web}
	s.write(g.path("names"), "")
	s.line("gate sh -c 'cd %s && . ./gate'", s.dir)
	s.line("report sh -c 'cd %s && . ./report'", s.dir)
	s.line("retry 100ms")
	s.write(g.path("gate"), gateScript)
	s.write(g.path("report"), reportScript)
	return g
}

func (g gated) start() *confit {
	g.t.Helper()
	return g.setup.start(g.printer()...)
}

// startWaiting starts confit on "first", and leaves it with the gate asked about "second".
func (g gated) startWaiting() *confit {
	g.t.Helper()
	c := g.start()
	c.Says("read first", 1)
	g.web.swap(keys{"text": "second"})
	g.reads(c, "asked second")
	return c
}

// answer lets the gate end about a text.
func (g gated) answer(text, script string) { g.write(g.path("answer."+text), script) }

// diary is what the gate was asked and the report told, but for what no gate was asked about.
func (g gated) diary() (lines []string) {
	data, _ := os.ReadFile(g.path("diary"))
	for line := range strings.Lines(string(data)) {
		if !strings.HasPrefix(line, "told of another") {
			lines = append(lines, strings.TrimSpace(line))
		}
	}
	return lines
}

// reads waits until the diary is this, and no more.
func (g gated) reads(c *confit, want ...string) {
	g.t.Helper()
	c.Eventually("diary "+strings.Join(want, "; "), func() bool { return len(g.diary()) >= len(want) })
	if got := strings.Join(g.diary(), "; "); got != strings.Join(want, "; ") {
		g.t.Fatalf("the diary is\n%s\nwant\n%s", got, strings.Join(want, "; "))
	}
}

// lists waits until the outcomes that the note holds have a text; "": there are none.
func (g gated) lists(c *confit, text string) {
	g.t.Helper()
	c.Eventually("outcomes "+text, func() bool {
		list := g.outcomes()
		return text == "" && list == "" || text != "" && strings.Contains(list, text)
	})
}

// tries waits until the report was tried so often.
func (g gated) tries(c *confit, n int) {
	g.t.Helper()
	c.Eventually("tries of the report", func() bool {
		data, _ := os.ReadFile(g.path("tries"))
		return strings.Count(string(data), "x") >= n
	})
}

// A replica waits for its gate for as long as that takes: the app keeps what it has, links are restored, and the status says so.
// Then the change goes on, and what became of it is told once.
func TestGate_waits(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	g.flag("--rescan", "50ms")
	c := g.startWaiting()
	g.lists(c, `"outcome":""`)
	c.tells(0, "the gate", func(st report) bool {
		return st.Phase == "gating" && len(st.Gate.Hash) == 64 && st.Gate.Since != "" && st.PendingSince != nil
	})
	if err := os.Remove(g.target("text")); err != nil {
		t.Fatal(err)
	}
	c.logs("target restored", 1)
	g.wantFiles(keys{"text": "first"})
	facts, _ := os.ReadFile(g.path("facts"))
	if f := strings.Fields(string(facts)); len(f) != 2 || len(f[0]) != 64 || len(f[1]) < 2 {
		t.Errorf("the gate has the facts %q", facts)
	}
	g.answer("second", "exit 0")
	c.Says("read second", 1)
	g.reads(c, "asked second", "told second accepted, mounted")
	g.lists(c, "")
	c.tells(0, "the report", func(st report) bool {
		return st.Gate.Hash == "" && st.Report.Outcome == "accepted" && st.Report.Delivered
	})
}

// A newer swap ends a gate, also one that doesn't want to. What became of the older change is told before the gate is asked about
// the newer one.
func TestGate_superseded(t *testing.T) {
	t.Parallel()
	for _, stubborn := range []bool{false, true} {
		t.Run(map[bool]string{false: "ends", true: "killed"}[stubborn], func(t *testing.T) {
			t.Parallel()
			g := newGated(t)
			if stubborn {
				g.write(g.path("stubborn"), "")
			}
			c := g.start()
			c.Says("read first", 1)
			g.web.swap(keys{"text": "second"})
			g.reads(c, "asked second")
			g.answer("third", "exit 0")
			g.web.swap(keys{"text": "third"})
			c.Says("read third", 1)
			g.reads(c, "asked second", "told second superseded, stored", "asked third", "told third accepted, mounted")
			g.wantNever(c, "read second")
		})
	}
}

func (g gated) wantNever(c *confit, text string) {
	g.t.Helper()
	c.wantCount(text, len(c.Texts("stdout", text)), 0)
}

// A gate that refuses rejects the change, with what it printed, and is asked again.
func TestGate_refuses(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	c := g.start()
	c.Says("read first", 1)
	g.answer("second", "if ! [ -e asked.before ]; then touch asked.before; echo not your turn; exit 1; fi")
	g.web.swap(keys{"text": "second"})
	if e := c.wantRejected("gate", 1); !strings.HasSuffix(e["reason"], ": not your turn") {
		t.Errorf("refused as %q", e["reason"])
	}
	c.Says("read second", 1)
	g.reads(c, "asked second", "told second rejected at gate, stored", "asked second", "told second accepted, mounted")
}

// confit is killed while the gate is asked: the next one asks again, for the same record, and starts the app on what is mounted.
func TestGate_killed(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	c := g.startWaiting()
	c.Kill()
	g.answer("second", "exit 0")
	c = g.start()
	c.Says("read second", 1)
	g.wantNever(c, "read first")
	g.reads(c, "asked second", "asked second at the start", "told second accepted, mounted")
	g.lists(c, "")
}

// Something else is mounted when confit is there again: the first change was superseded.
func TestGate_killed_then_swapped(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	c := g.startWaiting()
	c.Kill()
	g.web.swap(keys{"text": "third"})
	g.answer("third", "exit 0")
	c = g.start()
	c.Says("read third", 1)
	g.reads(c, "asked second", "told second superseded, stored", "asked third at the start", "told third accepted, mounted")
}

// At a start the gate may refuse, or not answer: the app starts on what is stored, and goes over when the gate lets it.
func TestGate_at_the_start(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{"refuses": "exit 1", "silent": "sleep 7654321"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGated(t)
			g.web.swap(keys{"text": "second"})
			g.answer("second", `[ -z "$CONFIT_STARTING" ] || `+script+"\nuntil [ -e ready ]; do sleep 0.05; done")
			c := g.start()
			c.logs(startsOnStored, 1)
			c.Says("read first", 1)
			c.Says("ready", 1)
			g.write(g.path("ready"), "")
			c.Says("read second", 1)
			g.reads(c, "asked second at the start", "told second rejected at gate, stored", "asked second", "told second accepted, mounted")
			c.gone("sleep 7654321")
		})
	}
}

// There is nothing else to start on: the gate isn't asked.
func TestGate_at_the_first_start(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	if err := os.RemoveAll(g.state); err != nil {
		t.Fatal(err)
	}
	c := g.start()
	c.Says("read first", 1)
	g.tries(c, 1)
	g.reads(c)
}

// A stop ends the gate at once. What became of the change is told, at the latest by the next confit, and once.
func TestGate_stopped(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	c := g.start()
	c.Says("read first", 1)
	g.tries(c, 1)
	g.web.swap(keys{"text": "second"})
	g.reads(c, "asked second")
	g.write(g.path("deaf"), "")
	c.Signal(syscall.SIGTERM)
	c.Ends(0)
	g.web.swap(keys{"text": "first"})
	if err := os.Remove(g.path("deaf")); err != nil {
		t.Fatal(err)
	}
	c = g.start()
	c.Says("read first", 1)
	g.reads(c, "asked second", "told second stopped, stored")
	g.lists(c, "")
}

// The app ends while the gate is asked: so does confit, with its code. The record stays for the next one.
func TestGate_app_ends(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	c := g.startWaiting()
	c.signalProcess(c.find(g.printer()[0]), syscall.SIGKILL)
	c.Ends(137)
	g.answer("second", "exit 0")
	c = g.start()
	c.Says("read second", 1)
	g.reads(c, "asked second", "asked second at the start", "told second accepted, mounted")
}

// A confit that is killed twice in one trial rejects the change: that is the one thing that is told of it. The second try comes when the
// app runs.
func TestGate_killed_twice(t *testing.T) {
	t.Parallel()
	g := newGated(t)
	g.flag("--probation", "1h")
	g.web.swap(keys{"text": "second"})
	g.answer("second", "exit 0")
	g.killedOn("second")
	g.killedOn("second")
	c := g.start()
	c.wantBlamed()
	g.reads(c, "asked second at the start", "asked second", "told second rejected at publish, stored")
	g.lists(c, "")
}

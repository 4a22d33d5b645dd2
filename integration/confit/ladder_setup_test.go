package confit

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// ladder is a setup whose gate lets every edit go, and whose app lives and dies as its key text says.
type ladder struct{ gated }

// ladderApp reads its file at the start and at HUP. No start survives "never", a start on "late" ends after a second, one on "later" after
// three. A reload survives all of them, but not "worse", which the app dies of as soon as it reads it. The file world has what else keeps the app from its work. USR1 and USR2 end it.
const ladderApp = `
trap 'exit 0' TERM USR2
trap 'exit 6' USR1
look() { text=$(cat "$0"); echo "serves $text"; case $text in worse*) exit 5;; esac; }
rest() { for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.05; done; }
trap look HUP
cd "$1"; text=$(cat "$0"); echo "starts on $text"
[ ! -e world ] || . ./world
case $text in
never*) exit 3;;
later*) rest; rest; rest; exit 3;;
late*) rest; exit 3;;
esac
look
while :; do sleep 0.05; done`

const (
	died       = "app died before its generation soaked"
	goesDown   = "going down the ladder"
	backOnTop  = "back to the top of the ladder: the app ended on everything below, too"
	hasSoaked  = "generation soaked"
	isRejected = "candidate rejected"
)

func newLadder(t *testing.T, action, soak string) ladder {
	t.Helper()
	s, web := newProved(t)
	s.lines[1] = "reload " + action
	s.flag("--probation", "200ms", "--soak", soak, "--rescan", "1s")
	l := ladder{newHooks(s, web)}
	l.write(l.path("gate"), `echo "$CONFIT_HASH $(cat "$CONFIT_CANDIDATE/web/text")" >>names`)
	return l
}

// soaksFor gives the next containers another --soak.
func (l ladder) soaksFor(soak string) { l.flags[slices.Index(l.flags, "--soak")+1] = soak }

// provesFor gives them another --probation, where an app has to end in it: on a busy machine that takes its time.
func (l ladder) provesFor(probation string) {
	l.flags[slices.Index(l.flags, "--probation")+1] = probation
}

// world is what the app meets at its next start, in its own language.
func (l ladder) world(script string) { l.write(l.path("world"), script) }

// fallsBackOn mounts a snapshot.
func (l ladder) fallsBackOn(text string) {
	l.write(l.path("fallback", "web", "text"), text)
	l.flag("--fallback", l.path("fallback"))
}

// runs starts a container on what the one before has left.
func (l ladder) runs() *confit {
	l.t.Helper()
	return l.setup.start("sh", "-c", ladderApp, l.target("text"), l.dir)
}

// deploys is the first container of a pod.
func (l ladder) deploys(text string) *confit {
	l.t.Helper()
	l.web.swap(keys{"text": text})
	c := l.runs()
	c.accepts(1)
	return c
}

// begins waits until the first generation is durable, too.
func (l ladder) begins(text string) *confit {
	l.t.Helper()
	c := l.deploys(text)
	c.soaks(1, "true")
	return c
}

// edits waits until each of the edits is accepted.
func (l ladder) edits(c *confit, texts ...string) {
	l.t.Helper()
	for _, text := range texts {
		n := len(c.entries("generation accepted"))
		l.web.swap(keys{"text": text})
		c.accepts(n + 1)
	}
}

// soaks waits until the nth generation of this container has soaked.
func (c *confit) soaks(n int, durable string) {
	c.t.Helper()
	if e := c.logs(hasSoaked, n); e["durable"] != durable {
		c.t.Errorf("logged %v, want durable=%s", e, durable)
	}
}

// fails is a container that ends with the app's code, and goes nowhere.
func (l ladder) fails(code int) {
	l.t.Helper()
	c := l.runs()
	c.Ends(code)
	c.wantLogged(goesDown, 0)
	c.wantLogged(isRejected, 0)
}

// noted waits until the next container would begin on a lower rung, too. Before that a TERM could say that the app's end was a stop.
func (l ladder) noted(c *confit) {
	l.t.Helper()
	c.Eventually("a note of the lower rung", func() bool { return l.rungs().On > 0 })
}

// wantDown waits until the app serves what is on a lower rung.
func (c *confit) wantDown(text string) {
	c.t.Helper()
	c.logs(goesDown, 1)
	c.Says("serves "+text, 1)
}

// wantBlamed waits until so many generations are rejected, as the app has lived below them.
func (l ladder) wantBlamed(c *confit, n int) {
	l.t.Helper()
	for i := range n {
		if e := c.logs(isRejected, i+1); e["step"] != "soak" || e["level"] != "ERROR" {
			l.t.Errorf("logged %v, want step soak", e)
		}
	}
	c.tells(3, "the rejection", func(st report) bool {
		return st.Rejection.Step == "soak" && st.Rejection.Hash == st.Mounted.Hash && st.Live.Hash == st.Accepted.Hash && st.GoneDown.Reason == ""
	})
	c.wantLogged(isRejected, n)
	c.Eventually("the end of the trial", func() bool { return !exists(filepath.Join(l.state, "trial")) }) // or a kill counts
}

// takenBack is a container in which an edit was rejected, as the app dies of it late and has lived below it.
func (l ladder) takenBack(text string) *confit {
	l.t.Helper()
	c := l.begins("first")
	l.edits(c, text)
	c.Ends(3)
	c = l.runs()
	l.wantBlamed(c, 1)
	return c
}

// wantStarts checks how often this container has started the app on a text.
func (c *confit) wantStarts(text string, n int) {
	c.t.Helper()
	c.wantCount("starts on "+text, len(c.Texts("stdout", "starts on "+text)), n)
}

// told is what the report was told of a text. That a start has survived what a reload had accepted may be told as accepted once more.
func (l ladder) told(text string) (told []string) {
	for _, line := range l.diary() {
		if outcome, found := strings.CutPrefix(line, "told "+text+" "); found && (outcome != "accepted, mounted" || len(told) == 0) {
			told = append(told, outcome)
		}
	}
	return told
}

// hears waits until the report was told just this of a text.
func (l ladder) hears(text string, want ...string) {
	l.t.Helper()
	harness.Eventually(l.t, "what is told of "+text, func() bool { return len(l.told(text)) >= len(want) })
	if got := l.told(text); !slices.Equal(got, want) {
		l.t.Errorf("told of %s: %q, want %q", text, got, want)
	}
}

// onTrial waits until a kill of confit would count. The record of a former life may be there before.
func (l ladder) onTrial(c *confit) (path string) {
	l.t.Helper()
	hash := c.logs("app started", len(c.Texts("stdout", "starts on ")))["hash"]
	c.Eventually("the note of the rung", func() bool { return strings.HasPrefix(l.stored().Hash, hash) })
	return c.recorded(`"step":"publish"`, `"hash":"`+hash)
}

// generations are the numbers of those in the state directory.
func (s *setup) generations() []string {
	s.t.Helper()
	paths, err := filepath.Glob(filepath.Join(s.state, "generations", "*"))
	if err != nil {
		s.t.Fatal(err)
	}
	for i, path := range paths {
		paths[i] = filepath.Base(path)
	}
	slices.Sort(paths)
	return paths
}

// keepsOnly waits until there are just these generations.
func (c *confit) keepsOnly(numbers ...string) {
	c.t.Helper()
	c.Eventually(fmt.Sprintf("only generations %q", numbers), func() bool {
		return slices.Equal(c.setup.generations(), numbers)
	})
}

package confit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"confit/integration/internal/harness"
)

// moment is where a change is when a deed is done.
type moment string

const (
	rests     moment = "rests"
	stages    moment = "stages"    // the candidate stands, and isn't live
	publishes moment = "publishes" // it is live, and the app hasn't read it
	proves    moment = "proves"    // the app has, and verify runs
	goesBack  moment = "goes back" // the accepted one is live again, and the app hasn't read it
	moves     moment = "moves"     // anywhere in a change, which nothing holds up
)

var allMoments = []moment{rests, stages, publishes, proves, goesBack, moves}

// meddledKind is how a container checks and reloads. Each has a process that waits in each moment: a hook, or the app.
type meddledKind struct {
	name   string
	lines  string
	render bool // no volume has its files, so only an edit brings them back
	starts bool // each change is a start of the app
}

var kinds = []meddledKind{
	{name: "checked_aside", lines: "validate sh hook stages {candidate}/web/text\nreload exec:sh hook reload"},
	{name: "restarted", lines: "validate sh hook stages {candidate}/web/text\nreload restart", starts: true},
	{name: "checked_in_place", lines: "gate sh hook stages\nvalidate sh hook publishes\nreload exec:sh hook reload"},
	{name: "rendered", lines: "render sh hook stages {candidate}/web/text {rendered}/copy\nreload exec:sh hook reload", render: true},
}

// meddledHook is all hooks. It waits in its moment, if the test holds that, reads what it is to check, and renders a copy.
const meddledHook = `
wait_in() {
	[ -e "hold.$1" ] || return 0
	: >"held.$1"
	while [ -e "hold.$1" ]; do sleep 0.05; done
}
if [ "$1" != reload ]; then
	wait_in "$1"
	[ -z "$2" ] || cat "$2" >"${3:-/dev/null}"
	exit
fi
if [ -e back ]; then
	rm back
	wait_in "goes back"
else
	wait_in publishes
	if [ "$(cat fate)" = bad ]; then
		: >back
		exit 1
	fi
fi
kill -HUP "$(cat pid)"
`

// meddled is a container whose state directory somebody meddles with.
type meddled struct {
	*setup
	kind meddledKind
	rand *rand.Rand
	web  *volume
	c    *confit

	edits    int
	mounted  string // the text of the last edit
	accepted string // that of the last one that the app can use
	question int    // the last that the app was asked
	askedAt  time.Time
	before   report   // at the last rest
	strange  []string // what confit may leave as it is until the next change or try
	hidden   bool     // and generations that nobody needs, as something was mounted over them
}

func newMeddled(t *testing.T, kind meddledKind, r *rand.Rand) *meddled {
	t.Helper()
	s := newSetup(t)
	b := &meddled{setup: s, kind: kind, rand: r, web: s.volume("web")}
	s.env = append(s.env[:1:1], harness.RoleVariable+"=answers")
	s.write(s.path("hook"), meddledHook)
	s.write(s.path("empty"), "")
	s.line("link web/text %s", s.target("text"))
	if s.line("%s", kind.lines); kind.render {
		s.line("link {rendered}/copy %s", s.target("copy"))
	}
	s.line("verify sh hook proves\nrescan 200ms\nretry 300ms\nprobation 100ms\nverify-timeout 1m\nhook-timeout 1m\nstop-timeout 1m")
	b.edit("good")
	b.begins()
	b.wantRest("the start")
	return b
}

// begins starts the container.
func (b *meddled) begins() {
	argv := []string{programs.app, b.target("text")}
	if b.kind.render {
		argv = append(argv, b.target("copy"))
	}
	b.c = b.start(argv...)
}

// beginsAgain starts the container once more if the app couldn't start after a deed, and nothing but an edit could help it.
func (b *meddled) beginsAgain(d deed) {
	if !b.endsApp(d) {
		return
	}
	harness.Eventually(b.t, "rest, or the end of the container", func() bool { return !b.c.Alive() || b.unrest() == "" })
	if !b.c.Alive() {
		b.begins()
	}
}

// edit writes a new text, which is good, or bad: its reload fails, or the app doesn't live with it.
func (b *meddled) edit(fate string) {
	b.t.Helper()
	b.edits++
	b.mounted = fmt.Sprintf("%d %s", b.edits, fate)
	b.replace(b.path("fate"), fate)
	if fate == "good" {
		b.accepted = b.mounted
	}
	b.web.swap(keys{"text": b.mounted})
}

// does one deed, and checks that all is well after it, and after one more edit.
func (b *meddled) does(d deed) {
	b.t.Helper()
	b.t.Log(d)
	tried := b.tries(d)
	b.reach(d.moment)
	undo := b.commit(d)
	b.release(string(d.moment))
	tried()
	if d.way == "mounted over" {
		b.waits()
		undo()
	}
	b.strange, b.hidden = []string{"trial", "try", "strange"}, d.way == "mounted over"
	b.wantRestAfter(d)
	b.clear()
	b.strange, b.hidden = nil, false
	b.edit("good")
	b.beginsAgain(d)
	b.wantRest(fmt.Sprintf("the edit after %q", d))
	b.clear()
}

// tries begins a try if its directory is what the deed is about. The function that it returns has the try end, however that ends.
func (b *meddled) tries(d deed) (end func()) {
	b.t.Helper()
	if d.name != "try" && d.name != "all" {
		return func() {}
	}
	b.hold("try")
	cmd := b.try("sh hook try {candidate}/web/text")
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	b.held("try")
	return func() {
		b.release("try")
		_ = cmd.Wait()
	}
}

// reach begins a change, unless confit rests, and returns when that has come to a moment.
func (b *meddled) reach(m moment) {
	b.t.Helper()
	switch m {
	case rests:
	case moves:
		b.edit("good")
		<-time.After(time.Duration(b.rand.IntN(150)) * time.Millisecond) // where it is then is left to chance
	case goesBack:
		b.hold(string(m))
		b.edit("bad")
		b.held(string(m))
	default:
		b.hold(string(m))
		b.edit("good")
		b.held(string(m))
	}
}

func (b *meddled) hold(what string) { b.write(b.path("hold."+what), "") }

func (b *meddled) held(what string) {
	b.t.Helper()
	b.c.Eventually("something that waits when confit "+what, func() bool { return exists(b.path("held." + what)) })
}

func (b *meddled) release(what string) {
	_ = os.Remove(b.path("held." + what))
	_ = os.Remove(b.path("hold." + what))
}

// waits gives confit some time while something is mounted: it may come to rest before that goes, or not.
func (b *meddled) waits() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(b.rand.IntN(1000))*time.Millisecond)
	defer cancel()
	harness.PollEvery(ctx, 50*time.Millisecond, func() bool { return b.unrest() == "" })
}

// run is a confit beside the one that runs, as the container sees files.
func (b *meddled) run(flags ...string) *exec.Cmd {
	words := append([]string{"-m", "sh", "-c", `cd "$1" && shift && exec "$@"`, "sh", b.dir}, b.command(flags...)...)
	return b.c.Visit(words...)
}

func (b *meddled) try(validator string) *exec.Cmd {
	return b.run("--try", b.path("volumes"), "--validate", validator)
}

// wantOthers checks what confits beside this one find: the lock held, a status that ends with a code, and a place for a try.
func (b *meddled) wantOthers(code int) {
	b.t.Helper()
	if out, err := b.run("--", "true").CombinedOutput(); err == nil || !strings.Contains(string(out), "another confit is using it") {
		b.t.Fatalf("a second confit wasn't refused: %v\n%s", err, out)
	}
	cmd := b.c.Visit("-m", b.program, "--status", "--state", b.state)
	if _ = cmd.Run(); cmd.ProcessState.ExitCode() != code {
		b.t.Fatalf("--status ends with %v, want %d", cmd.ProcessState, code)
	}
	if out, err := b.try("true {candidate}").CombinedOutput(); err != nil && !strings.HasSuffix(b.mounted, "bad") {
		b.t.Fatalf("a try of what is mounted: %v\n%s", err, out)
	}
}

package confit

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// counted is a setup whose renderer, outside of the volume, counts its runs. It makes a file of the first letter of the key, and of a
// variable that confit was started with.
func (s *setup) counted() *volume {
	s.t.Helper()
	s.write(s.path("renderer"), `echo run >>`+s.path("runs")+`
test ! -e `+s.path("fails")+` || exit 1
head -c 1 "$CONFIT_CANDIDATE/web/text" >"$CONFIT_RENDERED/out"
test ! -e "$CONFIT_CANDIDATE/web/more" || cat "$CONFIT_CANDIDATE/web/more" >>"$CONFIT_RENDERED/out"
echo " $SITE" >>"$CONFIT_RENDERED/out"
`)
	s.line("input web/text")
	s.line("input web/more optional")
	s.line("link {rendered}/out %s", s.target("out"))
	s.line("render sh %s", s.path("renderer"))
	s.line("reload signal:HUP")
	s.env = append(s.env, "SITE=one")
	return s.volume("web")
}

func (s *setup) wantRuns(want int) {
	s.t.Helper()
	runs, err := os.ReadFile(s.path("runs"))
	if got := strings.Count(string(runs), "run"); err != nil || got != want {
		s.t.Errorf("the renderer ran %d times, want %d (%v)", got, want, err)
	}
}

// The same output of a changed input is accepted, but the app isn't told. Nothing is rendered when no staged key has changed.
func TestSource_render_same_output(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.counted()
	web.swap(keys{"text": "first"})
	c := s.start(app("-print", s.target("out"))...)
	c.Says("read f one", 1)
	c.accepts(1)
	web.swap(keys{"text": "fifth"})
	c.accepts(2)
	web.swap(keys{"text": "fifth", "other": "new"})
	c.reports("a swap of nothing that is staged", func(r report) bool { return r.Counters.Swaps == 2 && r.quiet() })
	s.wantRuns(2)
	web.swap(keys{"text": "second"})
	c.Says("read s one", 1)
	c.accepts(3)
	s.wantRuns(3)
	c.reports("one reload", func(r report) bool { return r.quiet() && r.Counters.Reloads == 1 && r.App.Restarts == 0 })
}

// An input that goes is rendered without, when it is optional. Else it rejects the change.
func TestSource_render_input_goes(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.counted()
	web.swap(keys{"text": "first", "more": "+"})
	c := s.start(app("-print", s.target("out"))...)
	c.Says("read f+ one", 1)
	c.accepts(1)
	web.swap(keys{"text": "first"})
	c.Says("read f one", 1)
	c.accepts(2)
	web.swap(keys{"more": "+"})
	c.wantRejected("stage", 1)
	c.wantMention(`key \"text\" is missing`)
	s.wantFiles(keys{"out": "f one\n"})
	s.wantRuns(2)
}

// Each start of confit renders again. The same bytes are what is stored; a new image or environment makes others, which are a change;
// if it fails, what is stored is started.
func TestSource_render_at_each_start(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.counted()
	web.swap(keys{"text": "first"})
	again := func(rendered string) *confit {
		t.Helper()
		c := s.start(app("-print", s.target("out"))...)
		c.Says("ready", 1)
		c.wantReads(rendered)
		return c
	}
	c := again("f one")
	c.accepts(1)
	c.stops(0)
	first := s.stored()

	c = again("f one")
	c.reports("the stored generation", func(r report) bool { return r.quiet() && r.Accepted.Generation == first.Number })
	c.wantLogged("candidate rejected", 0)
	s.wantRuns(2)
	c.stops(0)

	s.env[len(s.env)-1] = "SITE=two"
	c = again("f two")
	c.accepts(1)
	if second := s.stored(); second.Number == first.Number || second.Hash == first.Hash {
		t.Errorf("stored %v, and before %v", second, first)
	}
	s.wantRuns(3)
	c.stops(0)

	s.write(s.path("fails"), "")
	s.env[len(s.env)-1] = "SITE=three"
	c = again("f two")
	c.wantRejected("render", 1)
	c.tells(3, "the rejection", func(r report) bool { return r.Rejection.Step == "render" && r.Live.Hash == s.stored().Hash })
	if err := os.Remove(s.path("fails")); err != nil {
		t.Fatal(err)
	}
	web.swap(keys{"text": "second"})
	c.Says("read s three", 1)
}

// With nothing stored, a renderer that fails is the end.
func TestSource_render_fails_at_first(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.counted()
	web.swap(keys{"text": "first"})
	s.write(s.path("fails"), "")
	c := s.start(app()...)
	c.Ends(78)
	c.wantRejected("render", 1)
	c.wantLogged("app started", 0)
}

// What failed is tried again after --retry, as the cause may pass.
func TestSource_render_retried(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("retry 200ms")
	web := s.counted()
	web.swap(keys{"text": "first"})
	c := s.start(app("-print", s.target("out"))...)
	c.Says("read f one", 1)
	s.write(s.path("fails"), "")
	web.swap(keys{"text": "second"})
	c.wantRejected("render", 2)
	if err := os.Remove(s.path("fails")); err != nil {
		t.Fatal(err)
	}
	c.Says("read s one", 1)
}

// A renderer that hangs is killed with all that it started.
func TestSource_render_hangs(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.rendered()
	s.flag("--hook-timeout", "500ms")
	web.swap(script("first", copies))
	c := s.start(app("-print", s.target("out"))...)
	c.Says("read first", 1)
	web.swap(script("second", copies+"; "+hang))
	if e := c.wantRejected("render", 1); !strings.Contains(e["reason"], " was killed after 500ms") {
		t.Errorf("logged %v", e)
	}
	c.gone("sleep 7654321")
	s.wantFiles(keys{"out": "first\n", "text": "first\n"})
}

// What a renderer leaves in a session of its own goes on, as any orphan. It can't reach what was taken through what it has open.
func TestSource_render_writer_that_stays(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.rendered()
	fifo := s.path("fifo")
	if err := unix.Mkfifo(fifo, 0o666); err != nil {
		t.Fatal(err)
	}
	stays := `; chmod u+w $CONFIT_RENDERED/out; cd $CONFIT_RENDERED
setsid sh -c 'touch ` + s.path("up") + `; read x <` + fifo + `; echo later >&3; echo later >new' 3>>out >/dev/null 2>&1 &
until test -e ` + s.path("up") + `; do sleep 0.01; done`
	web.swap(script("first", copies+stays))
	c := s.start(app("-print", s.target("out"))...)
	c.Says("read first", 1)
	c.find("read x")
	before := s.tree(s.state + "/generations")
	go func() { _ = os.WriteFile(fifo, []byte("go\n"), 0) }() // it waits for the reader
	c.gone("read x")
	if after := s.tree(s.state + "/generations"); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
}

// What was refused is rendered and validated again, until it is accepted: the same inputs as those of the accepted generation don't
// make that what is mounted.
func TestSource_render_refused_once(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("retry 200ms")
	s.line("validate sh %s {candidate}", s.write(s.path("checker"), "test ! -e "+s.path("refuses")+"\n"))
	web := s.counted()
	web.swap(keys{"text": "first"})
	c := s.start(app("-print", s.target("out"))...)
	c.Says("ready", 1)
	c.accepts(1)
	c.stops(0)

	s.write(s.path("refuses"), "")
	s.env[len(s.env)-1] = "SITE=two"
	c = s.start(app("-print", s.target("out"))...)
	c.Says("ready", 1)
	c.wantReads("f one")
	c.wantRejected("validate", 2)
	web.swap(keys{"text": "first", "other": "new"}) // nothing of this is staged
	c.wantRejected("validate", 3)
	c.tells(3, "the rejection", func(r report) bool { return r.Rejection.Step == "validate" })
	c.wantLogged("mounted configuration is live again", 0)
	if err := os.Remove(s.path("refuses")); err != nil {
		t.Fatal(err)
	}
	c.Says("read f two", 1)
	c.reports("the new files in force", report.quiet)
}

// A swap of nothing that is staged comes while what was rendered is validated: it is rendered and validated once more.
func TestSource_render_superseded(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("validate sh %s {candidate}", s.write(s.path("checker"), "echo up >>"+s.path("up")+"; until test -e "+s.path("go")+"; do sleep 0.01; done\n"))
	web := s.counted()
	web.swap(keys{"text": "first"})
	s.write(s.path("go"), "")
	c := s.start(app("-print", s.target("out"))...)
	c.Says("ready", 1)
	c.accepts(1)
	c.stops(0)

	if err := errors.Join(os.Remove(s.path("go")), os.Remove(s.path("up"))); err != nil {
		t.Fatal(err)
	}
	s.env[len(s.env)-1] = "SITE=two"
	c = s.start(app("-print", s.target("out"))...)
	c.Eventually("the validator runs", func() bool { _, err := os.Stat(s.path("up")); return err == nil })
	web.swap(keys{"text": "first", "other": "new"})
	s.write(s.path("go"), "")
	c.Says("ready", 1)
	c.wantReads("f two")
	c.accepts(1)
	s.wantRuns(3)
}

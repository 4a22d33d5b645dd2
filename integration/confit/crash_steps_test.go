package confit

import (
	"errors"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// Crash tests kill confit, and with it the whole container, at some moment. Of each target they ask at once: is it whole,
// old or new, never absent? And of the next confit on the same state: is everything new, and are all leftovers gone?
//
// Swap n changes key a, keeps b, brings key c<n> and takes c<n-1> away. The targets of the keys c cover files of the image,
// which come back.

const (
	coveredFile = "of the image"
	// maxSteps is far above the number of steps that a transaction may sensibly have.
	maxSteps = 150
)

// newCrash is a setup with so many files of the image.
func newCrash(t *testing.T, files int) (*setup, *volume) {
	t.Helper()
	s := newSetup(t)
	s.line("link web/* %s/", s.target("conf.d"))
	s.line("reload signal:HUP")
	s.flag("--rescan", "300ms") // what confit was killed with is tried at the next look
	s.image(files)
	return s, s.volume("web")
}

// image puts the files of the image where they are before the very first start.
func (s *setup) image(files int) {
	s.t.Helper()
	for n := range files {
		s.write(s.target("conf.d", fmt.Sprintf("c%d", n)), coveredFile)
	}
	s.write(s.target("conf.d/foreign"), "foreign")
}

func crashKeys(n int) keys {
	return keys{"a": fmt.Sprintf("swap %d", n), "b": "same", fmt.Sprintf("c%d", n): fmt.Sprintf("swap %d", n)}
}

// expected is what the app finds after swap n.
func expected(n, files int) keys {
	k := keys{"foreign": "foreign"}
	for i := range files {
		k[fmt.Sprintf("c%d", i)] = coveredFile
	}
	for name, content := range crashKeys(n) {
		k[name] = content
	}
	return k
}

// settled reports whether everything is as after swap n, stored as accepted, and nothing else is there. It is asked again and again, so it
// looks first at what comes last, and once more in the end: a publish may have come between.
func (s *setup) settled(n, files int) bool {
	return s.isLive() && s.shows(crashKeys(n)) && s.shows(expected(n, files)) && len(s.leftovers()) == 0 && s.isLive()
}

// isLive reports that what is stored as accepted is in force.
func (s *setup) isLive() bool {
	live, _ := os.Readlink(filepath.Join(s.state, "live"))
	return filepath.Base(live) == strconv.Itoa(s.stored().Number)
}

// shows reports whether the targets have these contents.
func (s *setup) shows(want keys) bool {
	for name, content := range want {
		if got, err := os.ReadFile(s.target("conf.d", name)); err != nil || string(got) != content {
			return false
		}
	}
	return true
}

// wantWhole checks that each target is as after swap n or as after the one before, or as in a bad edit on its way.
func (s *setup) wantWhole(n, files int) {
	s.t.Helper()
	before := expected(n-1, files)
	for name, want := range expected(n, files) {
		got, err := os.ReadFile(s.target("conf.d", name))
		if err != nil || !slices.Contains([]string{want, before[name], badText}, string(got)) {
			s.t.Errorf("after a crash in swap %d target %q holds %q (%v), want %q or %q", n, name, got, err, before[name], want)
		}
	}
}

const badText = "die 3"

// recover starts another confit on what the killed one left, and checks that all is well in the end.
func (s *setup) recover(n, files int) *confit {
	s.t.Helper()
	c := s.start(sheltered(app())...)
	c.Says("ready", 1)
	c.Eventually(fmt.Sprintf("the state after swap %d", n), func() bool { return s.settled(n, files) })
	return c
}

func (c *confit) wantKilled() {
	c.t.Helper()
	if status := c.State().Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGKILL {
		c.t.Errorf("confit ended with %v, want it killed", c.State())
	}
}

// steps counts rounds from 1, and has the step at which confit is killed in each: the first one, and from there on each that is a stride
// away.
func steps(stride int) iter.Seq2[int, int] {
	return func(yield func(n, step int) bool) {
		for n, step := 1, 1; step < maxSteps && yield(n, step); n, step = n+1, step+stride {
		}
	}
}

// killSteps kills confit at the steps of an edit, a stride apart, and starts another one that recovers, until an edit is done before the
// step.
func (s *setup) killSteps(web *volume, stride int, edit func(c *confit, n int) (finished func() bool)) {
	s.t.Helper()
	web.swap(crashKeys(0))
	c := s.recover(0, maxSteps)
	for n, step := range steps(stride) {
		result := c.KillAt(step)
		finished := edit(c, n)
		harness.Eventually(s.t, "end of the edit or of confit", func() bool { return !c.Alive() || finished() })
		if c.Alive() {
			c.Kill()
			s.t.Logf("killed %d times within %d steps; %s", n-1, step-1, result())
			return
		}
		result()
		c.wantKilled()
		s.wantWhole(n, maxSteps)
		web.swap(crashKeys(n))
		c = s.recover(n, maxSteps)
	}
	s.t.Errorf("an edit never came to its end within %d steps", maxSteps)
}

// The system calls that stage and publish a swap.
func crashInSwap(t *testing.T, stride int) {
	s, web := newCrash(t, maxSteps)
	s.line("validate true {candidate}")
	s.killSteps(web, stride, func(_ *confit, n int) func() bool {
		web.swap(crashKeys(n))
		return func() bool { return s.settled(n, maxSteps) }
	})
}

// The same when a bad edit is published for its check and taken back. It is fixed before the container comes up again.
func crashInTakeBack(t *testing.T, stride int) {
	s, web := newCrash(t, maxSteps)
	s.line("validate grep -q swap %s", s.target("conf.d/a"))
	s.killSteps(web, stride, func(c *confit, n int) func() bool {
		bad := crashKeys(n)
		bad["a"] = badText
		web.swap(bad)
		return func() bool { return len(c.entries("candidate rejected")) > 0 && s.settled(n-1, maxSteps) }
	})
}

// The steps of the very first start, with nothing there but the files of the image.
func crashInFirstStart(t *testing.T, stride int) {
	const files = 3
	s, web := newCrash(t, files)
	web.swap(crashKeys(1))
	prepare := func(int) {
		if err := errors.Join(os.RemoveAll(s.state), os.RemoveAll(s.path("etc"))); err != nil {
			t.Fatal(err)
		}
		s.image(files)
	}
	s.killStarts(stride, prepare, func(int) {
		s.wantImage(files)
		s.recover(1, files).Kill()
	})
}

// killStarts kills confit at the steps of a start, a stride apart, until a start comes to its end before the step. Each finds what prepare
// has made, and check looks at what it has left, and recovers.
func (s *setup) killStarts(stride int, prepare, check func(n int)) {
	s.t.Helper()
	for n, step := range steps(stride) {
		prepare(n)
		c, result := s.startTraced(step)
		harness.Eventually(s.t, "the app or the end of confit", func() bool { return !c.Alive() || len(c.Texts("stdout", "ready")) > 0 })
		alive := c.Alive()
		c.Kill()
		seen := result()
		if !alive {
			c.wantKilled()
		}
		if check(n); alive {
			s.t.Logf("killed %d times within %d steps; %s", n-1, step-1, seen)
			return
		}
	}
	s.t.Errorf("a start never came to its end within %d steps", maxSteps)
}

// startTraced starts a confit that is killed at its nth step, counted from its very first instruction.
func (s *setup) startTraced(n int) (*confit, func() string) {
	s.t.Helper()
	c := s.startGated(app()...)
	result := c.KillAt(n)
	if err := c.Open(); err != nil {
		s.t.Fatal(err)
	}
	return c, result
}

// wantImage checks that each file of the image is itself or covered by a whole key.
func (s *setup) wantImage(files int) {
	s.t.Helper()
	for n := range files {
		path := s.target("conf.d", fmt.Sprintf("c%d", n))
		if got, err := os.ReadFile(path); err != nil || !slices.Contains([]string{coveredFile, "swap 1"}, string(got)) {
			s.t.Errorf("%q holds %q (%v)", path, got, err)
		}
	}
}

// confit is killed at random moments while swaps come in at full speed.
func TestCrash_random(t *testing.T) {
	t.Parallel()
	const rounds, most = 25, 25 * 30
	s, web := newCrash(t, most)
	web.swap(crashKeys(0))
	n := 0
	for range rounds {
		c := s.start(sheltered(app())...)
		c.Says("ready", 1)
		for range 1 + rand.IntN(29) {
			n++
			web.swap(crashKeys(n))
		}
		c.Kill()
		if _, err := os.ReadFile(s.target("conf.d/a")); err != nil {
			t.Errorf("a target isn't whole after a crash: %v", err)
		}
		s.recover(n, most).Kill()
	}
}

// confit is killed while a bad edit is published for its check. The next start checks it again, although the targets hold it
// already, and starts on the accepted one.
func TestCrash_published_but_not_accepted(t *testing.T) {
	t.Parallel()
	s, web := newCrash(t, 1)
	validator := s.write(s.path("validator"), "exit 0")
	s.line("validate sh %s", validator)
	web.swap(crashKeys(0))
	c := s.recover(0, 1)
	s.write(validator, "sleep 7654321")
	web.swap(crashKeys(1))
	c.find("sleep 7654321")
	c.Kill()
	s.write(validator, "exit 1")
	c = s.recover(0, 1)
	if e := c.logs("starting on the last accepted generation: what is mounted can't be used", 1); e["generation"] != "1" {
		t.Errorf("logged %v, want generation 1", e)
	}
	c.Kill()
	s.write(validator, "exit 0")
	s.recover(1, 1)
}

// A start sweeps leftovers of every kind, put there by hand; what isn't confit's stays.
func TestCrash_sweep(t *testing.T) {
	t.Parallel()
	s, web := newCrash(t, 1)
	web.swap(crashKeys(0))
	s.recover(0, 1).Kill()
	s.write(filepath.Join(s.state, "generations", "77.tmp", "web", "a"), "half")
	s.write(filepath.Join(s.state, "generations", "78", "web", "a"), "never published")
	err := errors.Join(
		os.Symlink("generations/78", filepath.Join(s.state, ".confit-tmp-0123")),
		os.Symlink(s.state+"/live/web/a", s.target("conf.d/.confit-tmp-4567")),
	)
	if err != nil {
		t.Fatal(err)
	}
	c := s.recover(0, 1)
	web.swap(crashKeys(1))
	c.Says("signal HUP", 1)
	c.Eventually("the end of all leftovers", func() bool { return len(s.leftovers()) == 0 })
}

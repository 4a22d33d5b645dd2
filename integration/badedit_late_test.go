package integration

import (
	"fmt"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// lateReader is an app that reads its file at the start and at USR1, and dies of "bad" or "worse" in it. A reload doesn't make it
// read the file at once: of "bad" it dies later, so that it outlives its probation. Of "worse" it dies in the reload.
const lateReader = `
look() { text=$(cat "$0"); echo "read $text"; case $text in bad*|worse*) exit 3;; esac; }
trap 'echo reloaded; case $(cat "$0") in worse*) exit 4;; esac' HUP
trap look USR1
trap 'exit 0' TERM
look; echo ready
while :; do sleep 0.02; done`

// lateReader reads the key text.
func (s *setup) lateReader() []string {
	return []string{"sh", "-c", lateReader, s.target("text")}
}

// newLate is a setup in which a start has survived "first", and a reload alone has accepted each of the edits.
func newLate(t *testing.T, edits ...string) (*setup, *volume, *confit) {
	t.Helper()
	s, web := newProved(t)
	s.flag("--probation", "300ms")
	web.swap(keys{"text": "first"})
	c := s.first(s.lateReader()...)
	for i, text := range edits {
		web.swap(keys{"text": text})
		c.Says("reloaded", i+1)
		c.accepts(i + 2)
	}
	return s, web, c
}

// diesLate makes the app read its file after the probation, and die of it.
func (c *confit) diesLate() {
	c.t.Helper()
	c.Signal(syscall.SIGUSR1)
	c.Ends(3)
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

// An app that reads its file only some time after a reload hasn't shown that it can live with it. The container comes up again on
// what was accepted so. The app dies of it, and is started on the generation that a start has survived. A mended edit is taken
// up.
func TestBadEdit_late(t *testing.T) {
	t.Parallel()
	for name, edits := range map[string][]string{"one": {"bad"}, "several_in_a_row": {"bad 1", "bad 2", "bad 3"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web, c := newLate(t, edits...)
			c.diesLate()

			s.flags = []string{"--probation", "1h"}
			c = s.start(s.lateReader()...)
			c.wantRejected("probation", 1)
			c.wantRolledBack(1, "1")
			c.Says("ready", 1)
			c.wantCount("reads of the good one", len(c.Texts("stdout", "read first")), 1)
			c.wantLogged("app started", 2)
			c.wantLogged("candidate rejected", 1)
			s.wantFiles(keys{"text": "first"})
			c.Eventually("the good one being stored", func() bool { return s.stored().Number == 1 })
			c.tells(3, "the roll back", func(st report) bool {
				return st.Rejection.Step == "probation" && st.Counters.RollBacks == 1 && st.Live.Hash == s.stored().Hash && st.Live.Hash == st.Accepted.Hash
			})
			web.swap(keys{"text": "mended"})
			c.Says("reloaded", 1)
			s.wantFiles(keys{"text": "mended"})
			c.stops(0)
		})
	}
}

// As long as nobody mends it, each start tries it once, and no more.
func TestBadEdit_late_once_each_start(t *testing.T) {
	t.Parallel()
	s, web, c := newLate(t, "bad")
	c.diesLate()
	s.flags = []string{"--probation", "1h", "--rescan", "50ms", "--retry", "100ms"}
	s.box.Mounts = []harness.Mount{harness.StrictAtime(web.dir)}
	for range 3 {
		c = s.start(s.lateReader()...)
		c.Says("ready", 1)
		c.wantRejected("probation", 1)
		c.looksAt(web)
		c.wantLogged("candidate rejected", 1)
		c.wantLogged("app started", 2)
		c.stops(0)
	}
	web.swap(keys{"text": "mended"})
	s.flags = []string{"--probation", "300ms"}
	c = s.start(s.lateReader()...)
	c.Says("read mended", 1)
	c.accepts(1)
	c.wantLogged("app started", 1)
	c.wantLogged("candidate rejected", 0)
}

// A generation that a reload accepted keeps its predecessor, until a start has survived it.
func TestBadEdit_late_survived(t *testing.T) {
	t.Parallel()
	s, _, c := newLate(t, "second", "third")
	c.keepsOnly("1", "3")
	c.stops(0)
	c = s.start(s.lateReader()...)
	c.Says("read third", 1)
	c.keepsOnly("3")
	if n := s.stored(); n.Number != 3 {
		t.Errorf("stored: %v", n)
	}
	c.stops(0)
}

// The same when the app is started again in one life: a bad edit kills it, it can't live on the last reloaded generation either,
// and goes back to the one that a start has survived.
func TestBadEdit_late_in_one_life(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.flag("--probation", "3s")
	web.swap(keys{"text": "first"})
	c := s.first(s.lateReader()...)
	web.swap(keys{"text": "bad"})
	c.accepts(2)
	web.swap(keys{"text": "worse"})
	c.wantRejected("probation", 1)
	c.wantRolledBack(1, "2")
	c.wantRejected("probation", 2)
	c.wantRolledBack(2, "1")
	c.Says("ready", 2)
	c.wantCount("reads of the good one", len(c.Texts("stdout", "read first")), 2)
	c.wantLogged("app started", 3)
	s.wantFiles(keys{"text": "first"})
	c.Eventually("the good one being stored", func() bool { return s.stored().Number == 1 })
	web.swap(keys{"text": "mended"})
	c.accepts(3)
	s.wantFiles(keys{"text": "mended"})
	c.wantLogged("app started", 3)
	c.stops(0)
}

// A reload accepted a generation, which is no longer mounted when the app dies of it at the next start. Nothing is lost: the app
// is started on the edit that mends it.
func TestBadEdit_late_mended_before_the_start(t *testing.T) {
	t.Parallel()
	s, web, c := newLate(t, "bad")
	c.diesLate()
	web.swap(keys{"text": "mended"})
	c = s.start(s.lateReader()...)
	c.Says("read mended", 1)
	c.accepts(1)
	c.wantLogged("app started", 1)
	c.wantLogged("candidate rejected", 0)
	c.keepsOnly("3")
	c.stops(0)
}

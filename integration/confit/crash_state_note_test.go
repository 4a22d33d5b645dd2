package confit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

const notStored = "accepted generation not stored"

// smallState mounts a small file system as the state directory, for all confits of the test.
func (s *setup) smallState() {
	s.t.Helper()
	s.mkdir("state")
	if err := unix.Mount("tmpfs", s.state, "tmpfs", 0, "size=512k,nr_inodes=120,mode=0755"); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := unix.Unmount(s.state, unix.MNT_DETACH); err != nil {
			s.t.Error(err)
		}
	})
}

// newFull starts a confit whose state directory fills up while "second" is proved: generation 2 is accepted, but can't be noted
// down. The names of its keys alone need more than the pages that are free again when the trial is over and the status is shorter.
func newFull(t *testing.T) (*setup, *volume, *confit, *filler, func(script string)) {
	t.Helper()
	s, web, script := newVerified(t, "10m")
	s.lines[1] = "reload restart"
	s.line("link web/long* %s/", s.target("long"))
	edit := func(text string) {
		edit := keys{"text": text}
		for i := range 16 {
			edit[fmt.Sprintf("long%0200d", i)] = ""
		}
		web.swap(edit)
	}
	edit("first")
	s.smallState()
	s.flag("--rescan", "100ms")
	s.box.Mounts = []harness.Mount{harness.StrictAtime(web.dir)}
	c := s.start(s.printer()...)
	c.accepts(1)
	c.Says("ready", 1)
	script("until [ -e " + s.path("well") + " ]; do sleep 0.02; done")
	edit("second")
	c.Says("read second", 1)
	c.find(s.path("verifier"))
	c.tells(0, "the proof being under way", func(st report) bool { return st.Phase == "proving" && st.Live.Hash == st.Mounted.Hash })
	f := c.filler()
	c.Eventually("a full disk", func() bool {
		f.leavePages(0)
		free, _ := f.free()
		return free == 0
	})
	s.write(s.path("well"), "")
	c.Eventually(notStored, func() bool { return len(c.beginning(notStored)) > 0 })
	return s, web, c, f, script
}

// beginning are log lines whose message begins with a text.
func (c *confit) beginning(message string) []entry {
	var found []entry
	for _, text := range c.Texts("stderr", "time=") {
		if e := parseEntry(text); strings.HasPrefix(e["msg"], message) {
			found = append(found, e)
		}
	}
	return found
}

// The disk is full, so the accepted generation can't be noted down. confit logs that once, retries at each rescan, and calls
// accepted only what is stored.
func TestState_note_on_a_full_disk(t *testing.T) {
	t.Parallel()
	s, web, c, f, _ := newFull(t)
	c.looksAt(web)
	c.wantLogged("generation accepted", 1)
	c.wantCount(notStored, len(c.beginning(notStored)), 1)
	if e := c.beginning(notStored)[0]; e["level"] != "WARN" && e["level"] != "ERROR" || !strings.Contains(e["error"], s.state) {
		t.Errorf("logged %v, want a warning that names the state directory", e)
	}
	if n := s.stored(); n.Number != 1 {
		t.Errorf("stored: %v", n)
	}
	f.release()
	if e := c.accepts(2); e["generation"] != "2" || e["proof"] != "verify" {
		t.Errorf("logged %v, want generation 2 with its proof", e)
	}
	c.looksAt(web)
	c.wantLogged("generation accepted", 2)
	c.wantCount(notStored, len(c.beginning(notStored)), 1)
	web.swap(keys{"text": "third", "long": ""})
	c.Says("read third", 1)
	c.accepts(3)
	c.wantLogged("app started", 3)
}

// confit is killed meanwhile: the generation that the note on the disk names is still there to go back to.
func TestState_killed_before_the_note(t *testing.T) {
	t.Parallel()
	s, web, c, f, script := newFull(t)
	c.looksAt(web)
	c.Kill()
	if err := os.RemoveAll(filepath.Join(s.state, filepath.Base(f.dir))); err != nil {
		t.Fatal(err)
	}
	if n := s.stored(); n.Number != 1 {
		t.Fatalf("stored: %v", n)
	}
	script("exit 7")
	s.flag("--verify-timeout", "3s")
	c = s.start(s.printer()...)
	c.wantRejected("verify", 1)
	c.wantRolledBack(1, "1")
	c.Says("read first", 1)
	c.wantLogged("stored generation not trusted: the app starts on what is mounted, or not at all", 0)
	s.wantFiles(keys{"text": "first"})
}

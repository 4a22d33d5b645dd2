package confit

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// filler uses up the state directory's tmpfs from outside, through the root of confit's mount namespace.
type filler struct {
	t    *testing.T
	dir  string
	made int
}

func (c *confit) filler() *filler {
	dir := c.Proc("root", c.setup.state, "filler")
	if err := os.Mkdir(dir, 0o700); err != nil {
		c.t.Fatal(err)
	}
	return &filler{t: c.t, dir: dir}
}

func (f *filler) free() (pages, inodes uint64) {
	f.t.Helper()
	var stat unix.Statfs_t
	if err := unix.Statfs(f.dir, &stat); err != nil {
		f.t.Fatal(err)
	}
	return stat.Bavail, stat.Ffree
}

// leavePages fills until n pages are left.
func (f *filler) leavePages(n uint64) {
	f.t.Helper()
	pages, _ := f.free()
	if pages <= n {
		return
	}
	f.made++
	content := bytes.Repeat([]byte("x"), int(pages-n)*os.Getpagesize())
	err := os.WriteFile(filepath.Join(f.dir, fmt.Sprint(f.made)), content, 0o600)
	if err != nil && !errors.Is(err, unix.ENOSPC) {
		f.t.Fatal(err)
	}
}

// leaveInodes fills until n files, directories and links can still be made.
func (f *filler) leaveInodes(n uint64) {
	f.t.Helper()
	for _, inodes := f.free(); inodes > n; _, inodes = f.free() {
		f.made++
		if err := os.WriteFile(filepath.Join(f.dir, fmt.Sprint(f.made)), nil, 0o600); err != nil {
			f.t.Fatal(err)
		}
	}
}

// release makes all of it free again.
func (f *filler) release() {
	f.t.Helper()
	names, err := filepath.Glob(f.dir + "/*")
	for _, name := range names {
		err = errors.Join(err, os.Remove(name))
	}
	if err != nil {
		f.t.Fatal(err)
	}
}

// The state directory fills up at every step of a transaction: with 0, 1, 2, … pages or inodes left, until there are enough for
// the swap to succeed. Each time live is untouched, the error names the directory, the app isn't reloaded, and when space is back
// the next rescan brings the swap into force.
func TestDiskFull_every_step(t *testing.T) {
	t.Parallel()
	tests := map[string]func(*filler, uint64){
		"no_pages":  (*filler).leavePages,
		"no_inodes": (*filler).leaveInodes,
	}
	for name, leave := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newBulky(t)
			c := s.start(app("-print", s.target("conf.d/key0.conf"))...)
			c.Says("ready", 1)
			c.exhaust(web, leave)
		})
	}
}

// newBulky is a setup whose state directory is small, and whose volume is bulky.
func newBulky(t *testing.T) (*setup, *volume) {
	t.Helper()
	s := newSetup(t)
	s.mkdir("state")
	s.box.Mounts = []harness.Mount{harness.Tmpfs(s.state, "size=512k,nr_inodes=120,mode=0755")}
	s.line("link web/*.conf %s/", s.target("conf.d"))
	s.line("link web/sub/ %s/", s.target("sub"))
	s.line("reload signal:HUP")
	s.line("rescan 200ms")
	web := s.volume("web")
	web.swap(bulky(0))
	return s, web
}

// bulky is a payload with files of several pages, some of which never change and are linked, not copied.
func bulky(n int) keys {
	k := generation(n)
	for name, text := range k {
		k[name] = text + strings.Repeat("\n", 6000)
	}
	k["same.conf"] = strings.Repeat("same\n", 1000)
	k["sub/small"] = fmt.Sprint(n)
	k["sub/same"] = "same"
	return k
}

func (c *confit) exhaust(web *volume, leave func(*filler, uint64)) {
	c.t.Helper()
	f := c.filler()
	failures, swaps := 0, 0
	for left := uint64(0); swaps < 2; left++ { // twice in a row enough: it won't fail with more
		c.tidied()
		before := c.live()
		reloads, errorsBefore := len(c.Texts("stdout", "signal HUP")), len(c.stateErrors())
		leave(f, left)
		n := int(left) + 1
		web.swap(bulky(n))
		c.Eventually("the swap or an error naming the state directory", func() bool {
			return c.reads(n) || len(c.stateErrors()) > errorsBefore
		})
		if c.reads(n) {
			swaps++
		} else {
			swaps, failures = 0, failures+1
			c.checkUntouched(before, n-1)
			c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), reloads)
		}
		f.release()
		c.Eventually("recovery", func() bool { return c.reads(n) })
	}
	c.wantLogged("app started", 1)
	if failures < 3 {
		c.t.Errorf("only %d swaps failed: the steps weren't met", failures)
	}
	c.t.Logf("%d swaps failed for want of space", failures)
}

// tidied waits until confit has removed and written everything that the swap before left to do: removing would make room again,
// and the app is reloaded first.
func (c *confit) tidied() {
	c.t.Helper()
	inside := *c.setup
	inside.state = c.inside(c.setup.state)
	c.Eventually("only the generations that are noted down, and a status of the newest", func() bool {
		r := inside.report()
		return r.quiet() && fmt.Sprint("generations/", r.Live.Generation) == c.live() && inside.holdsOnlyNoted()
	})
}

// holdsOnlyNoted reports whether there are no generations but those that confit can go back to.
func (s *setup) holdsOnlyNoted() bool {
	generations, err := os.ReadDir(s.state + "/generations")
	rungs := s.rungs().Ladder
	return err == nil && len(rungs) > 0 && !slices.ContainsFunc(generations, func(g os.DirEntry) bool {
		return !slices.ContainsFunc(rungs, func(r rung) bool { return g.Name() == strconv.Itoa(r.Number) })
	})
}

// reads reports whether the app has read a generation as its last.
func (c *confit) reads(n int) bool {
	read := c.Texts("stdout", "read ")
	return len(read) > 0 && read[len(read)-1] == fmt.Sprintf("read swap %d", n)
}

// stateErrors are confit's error lines that name the state directory. A swap that succeeded and can't be noted down there, or a
// status that can't be written, is a warning.
func (c *confit) stateErrors() []entry {
	var found []entry
	for _, text := range c.Texts("stderr", "time=") {
		e := parseEntry(text)
		if e["level"] == "ERROR" && strings.Contains(text, c.setup.state) {
			found = append(found, e)
		}
	}
	return found
}

// inside is a path as confit sees it, reached from outside.
func (c *confit) inside(path string) string {
	return c.Proc("root", path)
}

func (c *confit) live() string {
	c.t.Helper()
	to, err := os.Readlink(c.inside(c.setup.state + "/live"))
	if err != nil {
		c.t.Fatal(err)
	}
	return to
}

// checkUntouched checks that live is what it was, with all of its keys.
func (c *confit) checkUntouched(live string, n int) {
	c.t.Helper()
	if now := c.live(); now != live {
		c.t.Errorf("live was %s and is %s", live, now)
	}
	for name, want := range bulky(n) {
		path := c.setup.state + "/live/web/" + name
		if got, err := os.ReadFile(c.inside(path)); err != nil || string(got) != want {
			c.t.Errorf("%q is not what it was before (%v)", path, err)
		}
	}
}

// The same with a bad edit that is published for its check: it has to be taken back although nothing can be written. As soon as
// there is space, the last good state is in force.
func TestDiskFull_take_back(t *testing.T) {
	t.Parallel()
	s, web := newBulky(t)
	s.line("validate grep -q swap %s", s.target("conf.d/key0.conf"))
	c := s.start(app("-print", s.target("conf.d/key0.conf"))...)
	c.Says("ready", 1)
	f := c.filler()
	for left := range uint64(25) {
		n := int(left) + 1
		c.tidied()
		rejected, errorsBefore := len(c.entries("candidate rejected")), len(c.stateErrors())
		f.leaveInodes(left)
		bad := bulky(n)
		bad["key0.conf"], bad["new.conf"] = "bad", "new"
		delete(bad, "key1.conf")
		web.swap(bad)
		c.Eventually("a rejection or an error", func() bool {
			return len(c.entries("candidate rejected")) > rejected || len(c.stateErrors()) > errorsBefore
		})
		f.release()
		c.Eventually("a rejection", func() bool { return len(c.entries("candidate rejected")) > rejected })
		c.Eventually("the last good state", func() bool { return s.holds(c, bulky(n-1)) })
		web.swap(bulky(n))
		c.Eventually("recovery", func() bool { return c.reads(n) })
		c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), n)
	}
}

// holds reports whether the app finds just these keys at its targets.
func (s *setup) holds(c *confit, k keys) bool {
	for name, want := range k {
		target := s.target("conf.d", name)
		if strings.HasPrefix(name, "sub/") {
			target = s.target(name)
		}
		to, err := os.Readlink(target) // what it points at is on a mount that only confit has
		if err != nil {
			return false
		}
		if got, err := os.ReadFile(c.inside(to)); err != nil || string(got) != want {
			return false
		}
	}
	return !exists(s.target("conf.d/new.conf"))
}

// The directory is full already at the start: nothing is started, and the message names the directory.
func TestDiskFull_at_start(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.mkdir("state")
	s.box.Mounts = []harness.Mount{harness.Tmpfs(s.state, "size=4k,nr_inodes=3,mode=0755")}
	s.line("link web/*.conf %s/", s.target("conf.d"))
	web := s.volume("web")
	web.swap(bulky(0))
	c := s.start(app()...)
	c.Ends(71)
	c.wantMention(s.state)
	c.wantLogged("app started", 0)
	if exists(s.target("conf.d/key0.conf")) {
		t.Error("a target was made")
	}
}

package confit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// replaceTarget writes a file in the place of what is there, as sed -i does.
func (s *setup) replaceTarget(name, content string) {
	s.t.Helper()
	if err := os.Rename(s.write(s.path("aside"), content), s.target(name)); err != nil {
		s.t.Fatal(err)
	}
}

// While a slow validator runs, somebody writes files at a target that is to be made, at one that is to go and at one that stays.
// confit destroys none and logs what it leaves alone; the app reads one generation.
func TestFiles_written_while_it_is_validated(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	gate := s.path("gate")
	s.line("link web/* %s/", s.target())
	s.line("reload signal:HUP")
	s.line("validate sh -c 'test ! -e {candidate}/web/new || until test -e %s; do sleep 0.01; done'", gate)
	web := s.volume("web")
	web.swap(keys{"stays": "first", "goes": "first"})
	c := s.start(app()...)
	c.Says("ready", 1)
	c.accepts(1)
	web.swap(keys{"stays": "second", "new": "second"})
	c.reports("validating", func(r report) bool { return r.Phase == "validating" })
	for _, name := range []string{"new", "goes", "stays"} {
		s.replaceTarget(name, "written by the app")
	}
	s.write(gate, "")
	c.accepts(2)
	s.wantFiles(keys{"stays": "second", "new": "second", "goes": "written by the app",
		".confit-kept-new": "written by the app", ".confit-replaced-stays": "written by the app"})
	c.wantLogged("target left alone", 1)
	web.swap(keys{"stays": "third"})
	c.accepts(3)
	s.wantFiles(keys{"stays": "third", "new": "written by the app", "goes": "written by the app"})
}

// An app replaces its link, somebody removes one, another user replaces the live link. confit logs each once and fixes it,
// without a change of the volume or a reload.
func TestFiles_mended_without_a_change(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/a %s", s.target("a"))
	s.line("link web/b %s", s.target("sub/b"))
	s.line("reload signal:HUP")
	s.line("rescan 50ms")
	web := s.volume("web")
	web.swap(keys{"a": "first", "b": "first"})
	c := s.start(app()...)
	c.Says("ready", 1)
	c.accepts(1)
	for n := range 3 {
		s.replaceTarget("a", "written by the app")
		c.logs("target restored", 2*n+1)
		if err := os.RemoveAll(s.target("sub")); err != nil {
			t.Fatal(err)
		}
		c.logs("target restored", 2*n+2)
		live, mine := filepath.Join(s.state, "live"), s.mkdir("mine")
		err := unix.Renameat2(unix.AT_FDCWD, mine, unix.AT_FDCWD, live, unix.RENAME_EXCHANGE) // in one step: confit looks often
		if err = errors.Join(err, os.Remove(mine)); err != nil {
			t.Fatal(err)
		}
		c.logs("live link restored", n+1)
		s.wantFiles(keys{"a": "first", "sub/b": "first", ".confit-replaced-a": "written by the app"})
	}
	web.swap(keys{"a": "second", "b": "second"})
	c.Says("signal HUP", 1)
	s.wantFiles(keys{"a": "second", "sub/b": "second"})
	c.wantLogged("target restored", 6)
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 1)
}

// A target that can't be restored is logged once and harms nothing else.
func TestFiles_not_mended(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/a %s", s.target("a"))
	s.line("rescan 50ms")
	web := s.volume("web")
	web.swap(keys{"a": "first"})
	c := s.start(app()...)
	c.Says("ready", 1)
	c.accepts(1)
	if err := errors.Join(os.Remove(s.target("a")), os.MkdirAll(s.target("a", "full"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if e := c.logs("target not restored", 1); e["target"] != s.target("a") || e["level"] != "WARN" {
		t.Errorf("said %v", e)
	}
	if err := os.RemoveAll(s.target("a")); err != nil {
		t.Fatal(err)
	}
	c.logs("target restored", 1)
	s.wantFiles(keys{"a": "first"})
	c.wantLogged("target not restored", 1)
}

// The app dies of a bad edit, after it has put a directory in the place of another target. It is started on the accepted
// generation all the same, and that target is restored as soon as it can be.
func TestFiles_roll_back_with_a_target_in_the_way(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/text %s", s.target("text"))
	s.line("link web/other %s", s.target("other"))
	s.line("reload signal:HUP")
	s.line("rescan 100ms")
	web := s.volume("web")
	web.swap(keys{"text": "first", "other": "first"})
	s.accept(app()...)
	s.flag("--probation", "1h")
	c := s.start(app("-print", s.target("text"))...)
	c.Says("ready", 1)
	web.swap(keys{"text": "bad", "other": "bad"})
	c.Says("read bad", 1)
	if err := errors.Join(os.Remove(s.target("other")), os.MkdirAll(s.target("other", "full"), 0o755)); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(c.find(programs.app).PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	c.Says("ready", 2)
	c.Says("read first", 2)
	e := c.logs("not everything could be put back: it is tried again", 1)
	if !strings.Contains(e["error"], s.target("other")) {
		t.Errorf("the target isn't named: %v", e)
	}
	if err := os.RemoveAll(s.target("other")); err != nil {
		t.Fatal(err)
	}
	c.logs("target restored", 1)
	s.wantFiles(keys{"text": "first", "other": "first"})
}

// Two lines for one target, by two paths of its directory: --check names both.
func TestFiles_one_target_by_two_paths(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.mkdir("srv", "app")
	s.mkdir("etc")
	if err := os.Symlink(s.path("srv", "app"), s.target()); err != nil {
		t.Fatal(err)
	}
	s.line("link web/a %s", s.target("x"))
	s.line("link web/b %s", s.path("srv", "app", "x"))
	c := s.startCommand(s.command("--check")...)
	c.Ends(64)
	c.wantMention(s.path("links") + ":1")
	c.wantMention(s.path("links") + ":2")
}

// A profile that knows neither statx(2) nor renameat2(2): files are covered, links made, changed and taken away, and mount points
// are refused by name.
func TestFiles_old_profile(t *testing.T) {
	for _, errno := range []syscall.Errno{unix.ENOSYS, unix.EPERM} {
		t.Run(unix.ErrnoName(errno), func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			s.box.Refused = harness.Refuse(errno, unix.SYS_STATX, unix.SYS_RENAMEAT2)
			s.program = programs.shipped // glibc's threads need more calls
			s.line("link web/* %s/", s.target())
			s.line("reload signal:HUP")
			s.write(s.target("b"), "of the image")
			web := s.volume("web")
			web.swap(keys{"a": "first", "b": "first"})
			command := []string{"sh", "-c", fmt.Sprintf(readsAndListens, s.target("a"))}
			c := s.start(command...)
			c.Says("ready", 1)
			s.wantFiles(keys{"a": "first", "b": "first"})
			web.swap(keys{"a": "second"})
			c.Says("read second", 1)
			c.accepts(2)
			s.wantFiles(keys{"a": "second", "b": "of the image"})
			c.Kill()

			s.write(s.target("b"), "of the image")
			s.box.Mounts = []harness.Mount{harness.Bind(s.path("links"), s.target("b"))}
			web.swap(keys{"a": "third", "b": "third"})
			c = s.start(command...)
			c.Says("ready", 1)
			c.Eventually("the refusal of the mount point", func() bool { return c.Contains("a mount point is there") })
			s.wantFiles(keys{"a": "second"})
		})
	}
}

// The system calls of a swap that finds a link replaced by the app. The target is whole, and beside it is nothing but the newest file
// that the app wrote.
func crashInDrift(t *testing.T, stride int) {
	s, web := newCrash(t, maxSteps)
	s.killSteps(web, stride, func(_ *confit, n int) func() bool {
		s.replaceTarget("conf.d/b", "same")
		web.swap(crashKeys(n))
		return func() bool {
			to, _ := os.Readlink(s.target("conf.d/b"))
			return to != "" && s.settled(n, maxSteps)
		}
	})
	beside, err := filepath.Glob(s.target("conf.d", ".confit-*b"))
	if err != nil || len(beside) > 2 {
		t.Errorf("left beside the target: %v (%v)", beside, err)
	}
}

package confit

import (
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// The app's user puts a symlink in the place of his directory, in which root's confit has a target. A file of root's where it
// leads stays as it is, at rescans, edits and restarts. The refusal is said once and in the status, and what was mounted meanwhile
// comes when the directory is back.
func TestUsurped_directory(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/a %s", s.path("home/conf/a"))
	s.line("rescan 100ms")
	s.line("reload signal:HUP")
	giveAway(t, s.mkdir("home"), 1000)
	giveAway(t, s.mkdir("home", "conf"), 1000)
	s.write(s.path("root/a"), "root's")
	before := s.tree(s.path("root"))
	web := s.volume("web")
	web.swap(keys{"a": "first"})
	s.start(app()...).wantRead("home/conf/a", "first").stops(0)

	c := s.start(app()...).wantRead("home/conf/a", "first")
	s.usurp()
	ledAway := func(r report) bool {
		return strings.Contains(r.Trouble, "a symlink of user 1000 in the place of directory")
	}
	c.tells(0, "the link can't be restored", ledAway)
	web.swap(keys{"a": "second"})
	c.tells(3, "the edit can't be applied", ledAway)
	if err := errors.Join(s.exchange(), os.Remove(s.path("home/away"))); err != nil {
		t.Fatal(err)
	}
	c.wantRead("home/conf/a", "second")
	c.tells(0, "that a look has found the link right", func(r report) bool { return r.Trouble == "" })
	c.wantLogged("target not restored", 1)
	c.wantLogged("cannot apply what is mounted", 1)
	s.usurp()
	c.logs("target not restored", 2)
	c.stops(0)
	s.start(app()...).Says("ready", 1)
	if after := s.tree(s.path("root")); after != before {
		t.Errorf("root's directory was\n%s\nand is\n%s", before, after)
	}
}

// usurp puts the user's symlink to root's directory in the place of his own.
func (s *setup) usurp() {
	s.t.Helper()
	err := errors.Join(os.Symlink(s.path("root"), s.path("home/away")), os.Lchown(s.path("home/away"), 1000, 1000), s.exchange())
	if err != nil {
		s.t.Fatal(err)
	}
}

// exchange puts the directory and the link in each other's place, in one step: confit looks often.
func (s *setup) exchange() error {
	return unix.Renameat2(unix.AT_FDCWD, s.path("home/conf"), unix.AT_FDCWD, s.path("home/away"), unix.RENAME_EXCHANGE)
}

// wantRead waits until a target holds a text, and all is well.
func (c *confit) wantRead(target, text string) *confit {
	c.t.Helper()
	c.Says("ready", 1)
	c.Eventually(target+" reads "+text, func() bool {
		data, _ := os.ReadFile(c.setup.path(target))
		return string(data) == text && c.setup.report().quiet()
	})
	return c
}

// passesRescans waits until confit has tried so many times to apply what is mounted: each writes a generation.
func (c *confit) passesRescans(n int) {
	c.t.Helper()
	newest := func() (number int) {
		for _, name := range c.setup.generations() {
			if i, err := strconv.Atoi(name); err == nil {
				number = max(number, i)
			}
		}
		return number
	}
	first := newest()
	c.Eventually("some more tries", func() bool { return newest() >= first+n })
}

// An edit drops one key, whose link covers a file of the image, and adds another for which confit may not make the link. A
// reader finds the accepted key all the time, the status says 3 and why, and the image's file comes back with the edit.
func TestUsurped_reader_of_an_edit_that_is_refused(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.runAs(1000)
	giveAway(t, s.mkdir("etc", "app"), 1000)
	image := s.write(s.target("y"), coveredFile)
	s.line("link web/y %s optional", image)
	s.line("link web/z %s optional", s.path("closed/z"))
	s.line("rescan 50ms")
	s.mkdir("closed")
	web := s.volume("web")
	web.swap(keys{"y": "first"})
	c := s.start(app()...).wantRead("etc/app/y", "first")
	stop, odd := make(chan struct{}), make(chan []string)
	go func() {
		var found []string
		for {
			if data, err := os.ReadFile(image); string(data) != "first" {
				found = append(found, string(data)+errorText(err))
			}
			select {
			case <-stop:
				odd <- slices.Compact(found)
				return
			default:
			}
		}
	}()
	web.swap(keys{"z": "second"})
	c.tells(3, "the edit can't be applied", func(r report) bool { return strings.Contains(r.Trouble, s.path("closed/z")) && r.PendingSince != nil })
	c.passesRescans(5)
	close(stop)
	if found := <-odd; len(found) > 0 {
		t.Errorf("meanwhile the accepted key read %q", found)
	}
	giveAway(t, s.path("closed"), 1000)
	c.Eventually("the edit", func() bool {
		y, _ := os.ReadFile(image)
		z, _ := os.ReadFile(s.path("closed/z"))
		return string(y) == coveredFile && string(z) == "second" && s.report().quiet()
	})
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

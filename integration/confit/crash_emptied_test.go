package confit

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

const (
	madeAnew     = "state directory made anew: somebody had moved or removed what confit works in"
	startedAgain = "app ended while something in the state directory was missing: it is started again"
)

// An image empties /run at each start, and the state directory is below that, of the image itself or a volume. nginx comes up, nobody is
// blamed, and the next edit and the next container come up, too.
func TestEmptied_nginx(t *testing.T) {
	t.Parallel()
	for name, isVolume := range map[string]bool{"directory": false, "volume": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newNginx(t)
			s.state = s.path("varrun", "confit")
			s.mkdir("varrun")
			if isVolume {
				s.mkdir("varrun", "confit")
				if err := unix.Mount("tmpfs", s.state, "tmpfs", 0, ""); err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { _ = unix.Unmount(s.state, unix.MNT_DETACH) })
			}
			s.line("rescan 1h")
			s.flag("--probation", "1s")
			web := s.volume("web")
			web.swap(s.site(s.target("conf.d"), page("a", "first")))
			for n := range 2 {
				c := s.start("sh", "-c", "rm -rf "+s.path("varrun")+"/*; exec "+strings.Join(s.nginx()[:len(s.nginx())-1], " ")+" 'daemon off;'")
				c.serves("a", []string{"first", "second"}[n])
				c.tells(0, "nothing wrong", report.quiet)
				if len(c.entries(madeAnew)) == 0 {
					t.Error("nothing was emptied")
				}
				c.wantLogged("candidate rejected", 0)
				web.swap(s.site(s.target("conf.d"), page("a", fmt.Sprint("edit ", n))))
				c.serves("a", fmt.Sprint("edit ", n))
				web.swap(s.site(s.target("conf.d"), page("a", "second")))
				c.serves("a", "second")
				c.tells(0, "nothing wrong", report.quiet)
				c.stops(0)
			}
		})
	}
}

// Whatever is emptied at rest, the app has its file, the status is true, what the app says is heard, no second confit starts, and the next
// edit is taken.
func TestEmptied_at_rest(t *testing.T) {
	t.Parallel()
	for name, empty := range map[string]func(state string) error{
		"all":           emptyDir,
		"the_directory": func(state string) error { return os.Rename(state, state+".mine") },
		"generations":   func(state string) error { return os.RemoveAll(state + "/generations") },
		"renamed":       func(state string) error { return os.Rename(state+"/generations", state+"/mine") },
		"notify":        func(state string) error { return os.Remove(state + "/notify") },
		"replaced": func(state string) error {
			return errors.Join(os.WriteFile(state+"/mine", nil, 0o644), os.Rename(state+"/mine", state+"/notify"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newProved(t)
			s.line("rescan 1h")
			web.swap(keys{"text": "first"})
			c := s.first(s.speaker("say READY=1", `say RELOADING=1 READY=1 STATUS=reloaded`)...)
			s.damage(empty(s.state))
			c.logs(madeAnew, 1)
			s.eventuallyReads(c, "first")
			c.tells(0, "nothing wrong", report.quiet)
			second := *s
			second.box = harness.Box{}
			second.start("true").Ends(71)
			web.swap(keys{"text": "second"})
			s.eventuallyReads(c, "second")
			c.wantStatusText("reloaded")
			c.tells(0, "nothing wrong", report.quiet)
			c.wantLogged("app started", 1)
		})
	}
}

func emptyDir(dir string) error {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		err = errors.Join(err, os.RemoveAll(filepath.Join(dir, e.Name())))
	}
	return err
}

func (s *setup) eventuallyReads(c *confit, text string) {
	s.t.Helper()
	c.Eventually("the key "+text, func() bool { data, err := os.ReadFile(s.target("text")); return err == nil && string(data) == text })
}

// In a volume that is open to all another user renames what confit works in, and puts his own in its place. The app never gets his file for
// long, a WARN says what he moved, and no renderer writes a Secret into his directory.
func TestEmptied_by_another_user(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.runAs(nobody)
	if err := errors.Join(os.Mkdir(s.state, 0o777), os.Chmod(s.state, 0o777)); err != nil {
		t.Fatal(err)
	}
	s.write(s.path("renderer"), `cat "$CONFIT_CANDIDATE/secret/password" >"$CONFIT_RENDERED/out"`)
	s.line("input secret/password")
	s.line("link {rendered}/out %s", s.target("out"))
	s.line("render sh %s", s.path("renderer"))
	s.line("reload signal:HUP")
	s.line("rescan 1h")
	secret := newVolume(t, s.mkdir("volumes", "secret"), "--fsgroup", strconv.Itoa(nobody))
	secret.swapFiles(map[string]file{"password": {"one", 0o400}})
	c := s.first(app("-print", s.target("out"))...)
	for n, password := range []string{"two", "three"} {
		s.asUser(2000, `
for n in 1 2 3 4 5 6; do mkdir -p evil/$n/.rendered evil/$n/secret; echo EVIL >evil/$n/.rendered/out; done
chmod -R 0777 evil
mv generations mine && { mv -T evil generations || test -d evil; } # confit may be as fast`)
		if e := c.logs(madeAnew, n+1); e["level"] != "WARN" || !strings.Contains(e["paths"], "generations") {
			t.Errorf("logged %v, want what he moved", e)
		}
		c.Eventually("confit's own file", func() bool { return s.read(s.target("out")) != "EVIL\n" && exists(s.target("out")) })
		c.tells(0, "nothing wrong", report.quiet)
		secret.swapFiles(map[string]file{"password": {password, 0o400}})
		c.accepts(n + 2)
		c.Eventually("the next edit", func() bool { return s.read(s.target("out")) == password })
	}
	found, err := exec.Command("grep", "-rlE", "two|three", s.path("state")).Output()
	if err != nil {
		t.Fatal(err)
	}
	for name := range strings.Lines(string(found)) {
		info, err := os.Stat(filepath.Dir(strings.TrimSpace(name)))
		if err != nil || info.Sys().(*syscall.Stat_t).Uid != nobody {
			t.Errorf("%s is in somebody else's directory (%v)", name, err)
		}
	}
}

// asUser runs a script in the state directory as another user.
func (s *setup) asUser(uid uint32, script string) {
	s.t.Helper()
	c := exec.Command("sh", "-ec", script)
	c.Dir = s.state
	c.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	if out, err := c.CombinedOutput(); err != nil {
		s.t.Fatalf("%v: %s", err, out)
	}
}

// A try whose directory is moved ends, and says so: its hooks would be given paths that are somebody else's.
func TestEmptied_try(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("input web/text")
	s.line("link {rendered}/out %s", s.target("out"))
	s.line(`render sh -c 'echo out >"$CONFIT_RENDERED/out"; mv %s/try %s/mine'`, s.state, s.state)
	s.line("validate sh -c 'echo validated; grep -q . {candidate}/.rendered/out'")
	_, stderr := s.runPlain(71, s.command("--try", s.tries("web", keys{"text": "first"}))...)
	if !strings.Contains(stderr, "somebody has moved") || strings.Contains(stderr, "validated") {
		t.Errorf("it says %q", stderr)
	}
}

// What is mounted over the generations can't be moved: that is said once, with code 3, and it is over when the mount is.
func TestEmptied_mounted_over(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.line("rescan 200ms")
	web.swap(keys{"text": "first"})
	c := s.first(s.printer()...)
	over := filepath.Join(s.state, "generations")
	if out, err := c.Visit("-m", "mount", "-t", "tmpfs", "-o", "mode=777", "tmpfs", over).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.tells(3, "what is in the way", func(r report) bool { return r.Damaged && strings.Contains(r.Trouble, "cannot trust") })
	if out, err := c.Visit("-m", "umount", over).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	c.tells(0, "nothing wrong", report.quiet)
	s.eventuallyReads(c, "first")
	c.wantLogged("state directory not restored", 1)
}

package confit

import (
	"fmt"
	"os"
	"testing"
)

// newReload is a setup with one key and a way to reload.
func newReload(t *testing.T, action string) (*setup, *volume) {
	t.Helper()
	s := newSetup(t)
	s.flag("--reload", action)
	return s, s.linkOne()
}

// newPerLink is a setup with a key for each way to reload: n(one), s(ignal), e(xec), r(estart) and d(efault), another signal. What its
// volume holds is returned, too.
func newPerLink(t *testing.T) (*setup, *volume, keys) {
	t.Helper()
	s := newSetup(t)
	s.line("link web/n %s reload=none", s.target("n"))
	s.line("link web/s %s reload=signal:USR1", s.target("s"))
	s.line("link web/e %s 'reload=exec:echo hook: exec'", s.target("e"))
	s.line("link web/r %s reload=restart", s.target("r"))
	s.line("link web/d %s", s.target("d"))
	s.line("reload signal:USR2")
	web, k := s.volume("web"), keys{"n": "1", "s": "1", "e": "1", "r": "1", "d": "1"}
	web.swap(k)
	return s, web, k
}

// effects count how often the app of newPerLink was reloaded in each way.
func (c *confit) effects() map[string]func() int {
	return map[string]func() int{
		"signal":  func() int { return len(c.Texts("stdout", "signal USR1")) },
		"default": func() int { return len(c.Texts("stdout", "signal USR2")) },
		"exec":    func() int { return len(c.Texts("stderr", "hook: exec")) },
		"restart": func() int { return len(c.Texts("stdout", "ready")) - 1 },
	}
}

// newProved is a setup with one key that the app prints, and tells by HUP.
func newProved(t *testing.T) (*setup, *volume) {
	t.Helper()
	s := newSetup(t)
	s.line("link web/text %s", s.target("text"))
	s.line("reload signal:HUP")
	return s, s.volume("web")
}

// printer is an app that prints the key text.
func (s *setup) printer(flags ...string) []string {
	return append(app("-print", s.target("text")), flags...)
}

// newChecked is a setup whose validator is in the volume itself: each swap brings its own. The app prints the key text.
func newChecked(t *testing.T) (*setup, *volume) {
	t.Helper()
	s := newSetup(t)
	s.line("link web/text %s", s.target("text"))
	s.line("link web/check %s reload=none", s.target("check"))
	s.line("validate sh {candidate}/web/check")
	s.line("reload signal:HUP")
	return s, s.volume("web")
}

// newVerified is a setup whose verify hook is a script that the test may write anew, and of which a former confit has
// accepted "first".
func newVerified(t *testing.T, timeout string) (*setup, *volume, func(script string)) {
	t.Helper()
	s, web := newProved(t)
	path := s.path("verifier")
	s.line("verify sh %s", path)
	s.flag("--verify-timeout", timeout)
	write := func(script string) {
		t.Helper()
		s.write(path+".new", script)
		if err := os.Rename(path+".new", path); err != nil {
			t.Fatal(err)
		}
	}
	write("exit 0")
	web.swap(keys{"text": "first"})
	return s, web, write
}

// newExit is a setup with one good key.
func newExit(t *testing.T) *setup {
	t.Helper()
	s := newSetup(t)
	s.linkOne()
	return s
}

// linkOne is the least that a setup needs: one good key.
func (s *setup) linkOne() *volume {
	s.t.Helper()
	s.line("link web/a %s", s.target("a"))
	web := s.volume("web")
	web.swap(keys{"a": "first"})
	return web
}

// eachUser runs a test as root and as nobody, in a directory of that user's.
func eachUser(t *testing.T, name string, test func(*testing.T, *setup)) {
	t.Helper()
	for _, uid := range []int{0, nobody} {
		full := fmt.Sprintf("uid_%d", uid)
		if name != "" {
			full = name + "/" + full
		}
		t.Run(full, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			s.runAs(uid)
			test(t, s)
		})
	}
}

// runAs makes a user that of confit, and the owner of the directory that it works in.
func (s *setup) runAs(uid int) {
	s.t.Helper()
	s.box.UID = uid
	giveAway(s.t, s.dir, uid)
}

// giveAway makes a user the owner of a directory that confit works in as that user.
func giveAway(t *testing.T, dir string, uid int) {
	t.Helper()
	if err := os.Chown(dir, uid, uid); err != nil {
		t.Fatal(err)
	}
}

// copyOf is a program that no other test runs.
func (s *setup) copyOf(program string) string {
	s.t.Helper()
	return s.copyFile(program, s.path("program"))
}

func (s *setup) copyFile(from, to string) string {
	s.t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		s.t.Fatal(err)
	}
	return s.write(to, string(content))
}

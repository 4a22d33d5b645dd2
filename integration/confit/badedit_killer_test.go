package confit

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A hook that needs too much memory has the whole container killed, PID 1 too, where the kernel says so (memory.oom.group). Here the
// test kills it, while the hook runs.

const putOff = "candidate put off until the app runs: confit was killed with it"

// killers are the lines by which a hook runs on the script of newKiller.
var killers = map[string]struct{ step, suspects, line string }{
	"render":          {"hooks", "render", "render sh SCRIPT"},
	"validate_before": {"hooks", "validate", "validate sh SCRIPT {candidate}"},
	"validate_after":  {"publish", "the app, validate", "validate sh SCRIPT"},
	"reload":          {"publish", "the app, reload", "reload exec:sh SCRIPT"},
	"verify":          {"publish", "the app, verify", "verify sh SCRIPT"},
}

// newKiller is a setup with a hook that doesn't end on a key "second".
func newKiller(t *testing.T, line string) (*setup, *volume) {
	t.Helper()
	s := newSetup(t)
	s.line("link web/text %s", s.target("text"))
	if strings.HasPrefix(line, "render") {
		s.line("link {rendered}/out %s optional", s.target("out"))
	}
	s.write(s.path("script"), `grep -q second "$CONFIT_CANDIDATE/web/text" && sleep 7654321; exit 0`)
	s.line("%s", strings.Replace(line, "SCRIPT", s.path("script"), 1))
	s.flag("--rescan", "500ms")
	s.flag("--hook-timeout", "1h")
	s.flag("--verify-timeout", "1h")
	return s, s.volume("web")
}

// killedInHook kills a confit while the hook runs. A hook on what is published doesn't wait for the record of that.
func (c *confit) killedInHook(step string) {
	c.t.Helper()
	c.find("sleep 7654321")
	c.recorded(strconv.Quote(step))
	c.Kill()
}

// recorded waits until the record of a trial holds all of these.
func (c *confit) recorded(parts ...string) (path string) {
	c.t.Helper()
	path = filepath.Join(c.setup.state, "trial")
	c.Eventually(fmt.Sprintf("the record of %q", parts), func() bool {
		record, _ := os.ReadFile(path)
		return !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(string(record), part) })
	})
	return path
}

// wantPutOff checks that the app was started on what is accepted, as confit was killed in a step.
func (c *confit) wantPutOff(step, suspects string) {
	c.t.Helper()
	if e := c.logs(putOff, 1); e["step"] != step || e["suspects"] != suspects || e["kills"] != "1" {
		c.t.Errorf("logged %v, want step %s and the suspects %s", e, step, suspects)
	}
	if e := c.logs("app started", 1); !strings.HasPrefix(c.setup.stored().Hash, e["hash"]) {
		c.t.Errorf("logged %v, want the app on %s", e, c.setup.stored().Hash)
	}
}

// The first kill may be bad luck: the app comes up on what is accepted, and the edit is tried once more. The second time the edit is
// rejected by that step, without a try, and the hook is named.
func TestBadEdit_killed_in_a_hook(t *testing.T) {
	t.Parallel()
	for name, test := range killers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newKiller(t, test.line)
			web.swap(keys{"text": "first"})
			s.accept(s.printer()...)
			c := s.start(s.printer()...)
			c.Says("ready", 1)
			web.swap(keys{"text": "second"})
			c.killedInHook(test.step)

			c = s.start(s.printer()...)
			c.wantPutOff(test.step, test.suspects)
			c.killedInHook(test.step)

			c = s.start(s.printer()...)
			c.Says("ready", 1)
			if e := c.wantRejected(test.step, 1); e["nextTry"] != "" || !strings.HasSuffix(e["reason"], ": suspect "+test.suspects) {
				t.Errorf("logged %v, want no next try, and the suspects", e)
			}
			c.wantReads("first")
			s.wantFiles(keys{"text": "first"})
			c.tells(3, "the rejection", func(st report) bool {
				return st.Rejection.Step == test.step && st.Rejection.Hash == st.Mounted.Hash && st.Live.Hash == s.stored().Hash
			})
			web.swap(keys{"text": "third"})
			c.accepts(1)
		})
	}
}

// A validator that passes doesn't make confit forget that it was killed with the edit once that was published.
func TestBadEdit_killed_after_its_validator(t *testing.T) {
	t.Parallel()
	s, web := newKiller(t, killers["verify"].line)
	s.line("validate sh -c 'exit 0' {candidate}")
	web.swap(keys{"text": "first"})
	s.accept(s.printer()...)
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	web.swap(keys{"text": "second"})
	c.killedInHook("publish")

	c = s.start(s.printer()...)
	c.wantPutOff("publish", "the app, verify")
	c.killedInHook("publish")

	c = s.start(s.printer()...)
	c.Says("ready", 1)
	c.wantRejected("publish", 1)
	c.wantReads("first")
}

// A stop ends the trial.
func TestBadEdit_stopped_in_a_hook(t *testing.T) {
	for name, test := range killers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newKiller(t, test.line)
			web.swap(keys{"text": "first"})
			s.accept(s.printer()...)
			for range 2 {
				web.swap(keys{"text": "first"})
				c := s.start(s.printer("-exit", "", "-ignore", "TERM")...)
				c.Says("ready", 1)
				web.swap(keys{"text": "second"})
				c.find("sleep 7654321")
				c.Signal(syscall.SIGTERM)
				c.Eventually("the end of the trial", func() bool { return !exists(filepath.Join(s.state, "trial")) })
				c.Kill()
			}
			s.write(s.path("script"), "exit 0")
			c := s.start(s.printer()...)
			c.accepts(1)
			c.wantLogged(putOff, 0)
		})
	}
}

// With a fallback the app comes up on that. With nothing at all the hook is tried again, which is said.
func TestBadEdit_killed_in_a_hook_at_the_first_start(t *testing.T) {
	t.Parallel()
	s, web := newKiller(t, killers["validate_before"].line)
	web.swap(keys{"text": "second"})
	s.start(s.printer()...).killedInHook("hooks")
	for range 2 {
		c := s.start(s.printer()...)
		if e := c.logs("trying again what confit was killed with: there is nothing else to start on", 1); e["suspects"] != "validate" {
			t.Errorf("logged %v, want the hook", e)
		}
		c.killedInHook("hooks")
	}

	s.line("fallback %s", s.path("fallback"))
	s.write(s.path("fallback", "web", "text"), "from the image")
	s.state = s.path("another")
	s.start(s.printer()...).killedInHook("hooks")
	c := s.start(s.printer()...)
	if e := c.accepts(1); e["source"] != "fallback" {
		t.Errorf("logged %v, want that the fallback was accepted", e)
	}
	c.killedInHook("hooks")
	c = s.start(s.printer()...)
	c.Says("read from the image", 1)
	c.wantRejected("hooks", 1)
}

// At a start the renderer runs on what is accepted, too. If that kills confit, the files that it made before are good enough.
func TestBadEdit_killed_while_rendering_what_is_accepted(t *testing.T) {
	t.Parallel()
	s, web := newKiller(t, killers["render"].line)
	web.swap(keys{"text": "first"})
	s.accept(s.printer()...)
	s.write(s.path("script"), "sleep 7654321")
	s.start(s.printer()...).killedInHook("hooks")
	for range 2 {
		c := s.start(s.printer()...)
		c.Says("read first", 1)
		c.logs("renderer not run", 1)
		c.tells(0, "why the renderer wasn't run", func(st report) bool { return strings.HasPrefix(st.Trouble, "confit was killed while the renderer ran") })
		c.stops(0)
	}
	s.write(s.path("script"), "exit 0")
	c := s.start(s.printer()...)
	web.swap(keys{"text": "second"})
	c.accepts(1)
	c.tells(0, "no trouble", func(st report) bool { return st.Trouble == "" && st.Live.Hash == st.Mounted.Hash })
}

// newGroup makes a cgroup whose members the kernel kills together when they need more than 64 MiB.
func newGroup(t *testing.T) (dir string) {
	t.Helper()
	const root = "/sys/fs/cgroup"
	if data, err := os.ReadFile(root + "/cgroup.subtree_control"); err != nil || !strings.Contains(string(data), "memory") {
		t.Skipf("this machine has no cgroup v2 with a memory controller (%v): memory.oom.group can't be tested here", err)
	}
	dir, err := os.MkdirTemp(root, "confit-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Remove(dir) })
	for name, value := range map[string]string{"memory.max": "67108864", "memory.swap.max": "0", "memory.oom.group": "1"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(value), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// startIn starts a confit as a member of a cgroup.
func (s *setup) startIn(group string) *confit {
	s.t.Helper()
	c := s.startGated(s.printer()...)
	if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(c.PID)), 0o644); err != nil {
		s.t.Fatal(err)
	}
	if err := c.Open(); err != nil {
		s.t.Fatal(err)
	}
	return c
}

// The same by the kernel, as with cgroup v2 and Kubernetes from 1.28 on.
func TestBadEdit_killed_by_the_memory_limit(t *testing.T) {
	t.Parallel()
	group := newGroup(t)
	s, web := newKiller(t, killers["validate_before"].line)
	web.swap(keys{"text": "first"})
	s.accept(s.printer()...)
	s.write(s.path("script"), `grep -q second "$CONFIT_CANDIDATE/web/text" && head -c 256M /dev/zero | tail; exit 0`)
	web.swap(keys{"text": "second"})
	for range 2 {
		c := s.startIn(group)
		c.Eventually("the end of confit", func() bool { return !c.Alive() })
		c.wantKilled()
	}
	c := s.startIn(group)
	c.Says("ready", 1)
	c.wantRejected("hooks", 1)
	c.wantReads("first")
}

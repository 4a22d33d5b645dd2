package confit

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// limit changes a soft limit of the running confit, as the same user: another user would need CAP_SYS_RESOURCE.
func (c *confit) limit(resource string, most int) {
	c.t.Helper()
	cmd := exec.Command("prlimit", "--pid", strconv.Itoa(c.PID), fmt.Sprintf("--%s=%d:", resource, most))
	uid := uint32(c.setup.box.UID)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: uid, Gid: uid}}
	if out, err := cmd.CombinedOutput(); err != nil {
		c.t.Fatalf("prlimit: %v\n%s", err, out)
	}
}

// loneUser has no other processes: RLIMIT_NPROC counts all of a user.
const loneUser = 64123

// No further process or thread, as when an app has used up its container's pids: the Go runtime ends a program that it can't give
// a thread. confit has its threads from the start. So swaps, hooks that can't be started, signals and the app's end do it no
// harm.
func TestLimits_no_thread(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.runAs(loneUser)
	web := s.volume("web")
	s.line("link web/a %s", s.target("a"))
	s.line("link web/check %s 'reload=exec:echo reloaded'", s.target("check"))
	web.swap(keys{"a": "swap 0", "check": "0"})
	c := s.start(app("-print", s.target("a"), "-exit", "TERM=7")...)
	c.Says("ready", 1)
	c.accepts(1) // it makes its threads while the app starts
	c.limit("nproc", 1)
	for n := 1; n <= 50; n++ {
		for range 5 {
			c.Signal(syscall.SIGWINCH)
		}
		web.swap(keys{"a": fmt.Sprintf("swap %d", n), "check": "0"})
		c.Says(fmt.Sprintf("read swap %d", n), 1)
	}
	web.swap(keys{"a": "swap 50", "check": "1"}) // its hook can't be started
	if e := c.logs("candidate rejected", 1); e["step"] != "reload" {
		t.Errorf("rejected by %v", e)
	}
	c.Signal(syscall.SIGUSR1)
	c.Says("signal USR1", 1)
	c.stops(7)
	c.wantLogged("app started", 1)
}

// The system refuses a start in a restart: confit tries until it works.
func TestLimits_no_process_in_a_restart(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.runAs(loneUser + 1)
	web := s.volume("web")
	s.line("link web/a %s", s.target("a"))
	s.line("reload restart")
	web.swap(keys{"a": "first"})
	c := s.start(app("-print", s.target("a"), "-exit", "TERM=7")...)
	c.Says("ready", 1)
	c.accepts(1) // as above
	c.limit("nproc", 1)
	web.swap(keys{"a": "second"})
	c.logs("app not started", 2)
	c.limit("nproc", 1000)
	c.Says("read second", 1)
	c.stops(7)
}

// No further descriptor: confit says that it can't look at the swap, forwards signals, and reaps orphans. Once it has descriptors
// again, the swap comes into force.
func TestLimits_no_descriptor(t *testing.T) {
	eachUser(t, "", func(t *testing.T, s *setup) {
		web := s.volume("web")
		s.line("link web/a %s", s.target("a"))
		s.line("validate test -e {candidate}/web/a")
		s.line("rescan 200ms")
		web.swap(keys{"a": "first"})
		c := s.start("sh", "-c", fmt.Sprintf(readsAndListens, s.target("a")))
		c.Says("ready", 1)
		c.limit("nofile", 3)
		web.swap(keys{"a": "second"})
		c.logs("cannot apply what is mounted", 1)
		c.Signal(syscall.SIGUSR1)
		c.Says("signal USR1", 1)
		c.limit("nofile", 1000)
		c.Says("read second", 1)
		c.wantLogged("app started", 1)
		c.limit("nofile", 3)
		c.stops(7)
	})
}

// The floors that the page names: confit runs with each of them. Below that of processes it says so, and starts no app.
func TestLimits_floors(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	s := newSetup(t)
	s.program = programs.shipped
	s.runAs(loneUser + 2)
	s.linkOne()
	under := func(limit string) *confit {
		return s.startCommand(append([]string{"/usr/bin/prlimit", limit}, s.commandOf("sh", "-c", "exit 7")...)...)
	}
	for limit, said := range map[string]string{
		fmt.Sprintf("--data=%d", 96<<20): "`RLIMIT_DATA` of 96 MiB", fmt.Sprintf("--as=%d", 2<<30): "`RLIMIT_AS` of 2 GiB", "--nproc=16": "`RLIMIT_NPROC` of 16",
	} {
		if !strings.Contains(string(page), said) {
			t.Errorf("the page lacks %q", said)
		}
		under(limit).Ends(7)
	}
	for n := 12; n < 16; n++ {
		c := under(fmt.Sprintf("--nproc=%d", n))
		c.Ends(71)
		c.wantMention(fmt.Sprintf("cannot make threads: RLIMIT_NPROC is %d", n))
		c.wantLogged("app started", 0)
	}
}

// From too few descriptors at the start to enough of them: confit says what it lacks and that the system refused it, or it runs.
// With fewer than ten not even the Go runtime starts.
func TestLimits_few_descriptors(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.program = programs.shipped
	s.box.HardNoFile = true
	s.linkOne()
	refused, ran := 0, 0
	for files := uint64(10); files <= 24; files++ {
		s.box.NoFile = files
		c := s.start("sh", "-c", "exit 7")
		harness.Eventually(t, "end of confit", func() bool { return !c.Alive() })
		switch code := c.State().ExitCode(); {
		case code == 7:
			ran++
		case code == 71 && c.Contains("too many open files"):
			refused++
		default:
			t.Errorf("with %d descriptors: %v", files, c.State())
		}
	}
	if refused == 0 || ran == 0 {
		t.Errorf("%d starts were refused, %d worked: the limit wasn't met", refused, ran)
	}
}

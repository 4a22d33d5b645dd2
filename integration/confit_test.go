package integration

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// setup is what one test prepares for its confits: a directory with volumes, targets and state, a links file, flags.
type setup struct {
	t     *testing.T
	dir   string
	state string
	lines []string // of the links file
	flags []string
	env   []string
	box   box
	tty   *terminal // on which confit leads a session; nil: it has pipes

	program string // the confit that is run
}

// newSetup makes a directory that every user may enter, with the usual places in it.
func newSetup(t *testing.T) *setup {
	t.Helper()
	dir := t.TempDir()
	s := &setup{t: t, dir: dir, state: filepath.Join(dir, "state"), program: programs.confit}
	for _, path := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(path, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	s.mkdir("volumes")
	s.env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", roleVariable + "=app"}
	if raced {
		s.env = append(s.env, "GORACE=atexit_sleep_ms=0") // or each end takes a second
	}
	return s
}

func (s *setup) path(elements ...string) string {
	return filepath.Join(append([]string{s.dir}, elements...)...)
}

// target is the path at which the app opens a key. Nothing makes its directory but confit.
func (s *setup) target(elements ...string) string {
	return s.path(append([]string{"etc", "app"}, elements...)...)
}

func (s *setup) mkdir(elements ...string) string {
	s.t.Helper()
	path := s.path(elements...)
	if err := os.MkdirAll(path, 0o755); err != nil {
		s.t.Fatal(err)
	}
	return path
}

func (s *setup) write(path, content string) string {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
		s.t.Fatal(err)
	}
	return path
}

// line adds a line to the links file.
func (s *setup) line(format string, args ...any) {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
}

func (s *setup) flag(flags ...string) {
	s.flags = append(s.flags, flags...)
}

// command is confit's own command line, without the app. A test that says nothing of rescans has none, so that a hint that
// was lost isn't covered up by one; one that says nothing of probation has none, so that one swap can follow another at once.
func (s *setup) command(flags ...string) []string {
	text := strings.Join(s.lines, "\n") + "\n"
	argv := []string{s.program, "--links", s.write(s.path("links"), text), "--volumes", s.path("volumes"), "--state", s.state}
	for flag, value := range map[string]string{"rescan": "1h", "probation": "0s"} {
		if !strings.Contains(text+strings.Join(append(s.env, s.flags...), " "), flag) {
			argv = append(argv, "--"+flag, value)
		}
	}
	return append(append(argv, s.flags...), flags...)
}

// confit is a started one, and what it wrote.
type confit struct {
	transcript
	t     *testing.T
	setup *setup
	cmd   *exec.Cmd
	pid   int // as seen from outside
	pidns *os.File
	netns *os.File
	gate  *os.File
	ended chan struct{} // closed after the last process of the namespace is gone
}

// start runs confit with an app, and ends all of it with the test.
func (s *setup) start(app ...string) *confit {
	s.t.Helper()
	return s.startCommand(append(append(s.command(), "--"), app...)...)
}

// startCommand runs any command line in the box.
func (s *setup) startCommand(argv ...string) *confit {
	s.t.Helper()
	b := s.box
	b.Argv, b.Env = argv, s.env
	encoded, err := json.Marshal(b)
	if err != nil {
		s.t.Fatal(err)
	}
	c := &confit{t: s.t, setup: s, ended: make(chan struct{})}
	c.cmd = &exec.Cmd{
		Path: programs.app, Args: []string{"enter"}, Dir: s.dir,
		Env:    []string{roleVariable + "=enter", boxVariable + "=" + string(encoded)},
		Stdout: c.stream("stdout"), Stderr: c.stream("stderr"),
		SysProcAttr: &syscall.SysProcAttr{Cloneflags: b.cloneFlags(), Pdeathsig: parentEnd, Setsid: true}, // as a runtime does
	}
	b.mapUsers(c.cmd.SysProcAttr)
	c.makeGate()
	if s.tty != nil {
		s.tty.attach(c.cmd)
	}
	if err := c.cmd.Start(); err != nil {
		s.t.Fatal(err)
	}
	if s.tty != nil {
		s.tty.slave.Close()
	}
	c.pid = c.cmd.Process.Pid
	c.openNamespaces()
	if !b.Gate {
		c.gate.Close()
	}
	go func() { // the only one to wait; everybody else looks at ended
		_ = c.cmd.Wait()
		close(c.ended)
	}()
	s.t.Cleanup(c.cleanUp)
	return c
}

func (b box) cloneFlags() uintptr {
	flags := uintptr(syscall.CLONE_NEWPID | syscall.CLONE_NEWNS)
	if b.Net {
		flags |= syscall.CLONE_NEWNET
	}
	return flags
}

func (b box) mapUsers(attr *syscall.SysProcAttr) {
	if b.OneUser {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{Size: 1}}
	}
}

// makeGate keeps confit from starting, at least until its namespaces were opened: a short life is over before.
func (c *confit) makeGate() {
	read, write, err := os.Pipe()
	if err != nil {
		c.t.Fatal(err)
	}
	c.cmd.ExtraFiles, c.gate = []*os.File{read}, write
	c.t.Cleanup(func() { read.Close(); write.Close() })
}

// openNamespaces keeps them open, so that their numbers aren't given to others before the test is over.
func (c *confit) openNamespaces() {
	for name, file := range map[string]**os.File{"pid": &c.pidns, "net": &c.netns} {
		opened, err := os.Open(fmt.Sprintf("/proc/%d/ns/%s", c.pid, name))
		if err != nil {
			c.t.Fatal(err)
		}
		*file = opened
	}
}

// kill ends the namespace at once: with its PID 1 the kernel ends every process in it.
func (c *confit) kill() {
	_ = c.cmd.Process.Kill()
	<-c.ended
}

// cleanUp also checks what must hold in every test, whatever it is about.
func (c *confit) cleanUp() {
	if c.t.Failed() {
		c.t.Logf("processes of %q:\n%s", c.t.Name(), c.describe())
	}
	c.kill()
	defer c.netns.Close()
	defer c.pidns.Close()
	if left := c.processes(); len(left) != 0 {
		c.t.Errorf("processes are left after the end of PID 1: %v", left)
	}
	for _, fault := range []string{"WARNING: DATA RACE", "panic: ", "fatal error: "} {
		if c.contains(fault) {
			c.t.Errorf("the transcript holds %q", fault)
		}
	}
	if c.t.Failed() {
		c.t.Logf("links file:\n%s\ntranscript:\n%s", strings.Join(c.setup.lines, "\n"), c.String())
	}
}

// alive tells whether the namespace still runs.
func (c *confit) alive() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// eventually polls like the function of this name, and gives up at once when confit has ended.
func (c *confit) eventually(what string, ok func() bool) {
	c.t.Helper()
	gone := false
	eventually(c.t, what, func() bool {
		wasAlive := c.alive() // before ok, so that what was written last is seen
		if ok() {
			return true
		}
		gone = !wasAlive
		return gone
	})
	if gone {
		c.t.Fatalf("confit ended (%v) before: %s", c.cmd.ProcessState, what)
	}
}

// ends waits for the end of confit and checks its exit code.
func (c *confit) ends(code int) {
	c.t.Helper()
	eventually(c.t, "end of confit", func() bool { return !c.alive() })
	if got := c.cmd.ProcessState.ExitCode(); got != code {
		c.t.Fatalf("confit ended with %v, want exit code %d", c.cmd.ProcessState, code)
	}
}

// signal sends a signal to confit from outside, as the container runtime does.
func (c *confit) signal(sig syscall.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(sig); err != nil {
		c.t.Fatalf("cannot send %v: %v", sig, err)
	}
}

// says waits for the nth line of the app's standard output that starts with a prefix.
func (c *confit) says(prefix string, n int) string {
	c.t.Helper()
	var found []string
	c.eventually(fmt.Sprintf("line %d of the app starting %q", n, prefix), func() bool {
		found = c.texts("stdout", prefix)
		return len(found) >= n
	})
	return found[n-1]
}

// logs waits for the nth log line with a message.
func (c *confit) logs(message string, n int) entry {
	c.t.Helper()
	var found []entry
	c.eventually(fmt.Sprintf("log line %d saying %q", n, message), func() bool {
		found = c.entries(message)
		return len(found) >= n
	})
	return found[n-1]
}

// wantLogged checks how many log lines with a message there are. They come through another pipe than what the app says, and
// may be the later ones; of what must not have been logged, none is waited for.
func (c *confit) wantLogged(message string, want int) {
	c.t.Helper()
	if want > 0 {
		c.logs(message, want)
	}
	c.wantCount(message, len(c.entries(message)), want)
}

// wantCount checks how often something was seen until now.
func (c *confit) wantCount(what string, found, want int) {
	c.t.Helper()
	if found != want {
		c.t.Errorf("%s: %d times, want %d", what, found, want)
	}
}

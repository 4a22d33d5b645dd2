package daemons

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"confit/integration/volume"
)

const (
	// patience is how long a test waits for what must happen. Only a failing test ever waits this long.
	patience = 30 * time.Second
	// pollInterval is also the pause between two questions of a prober.
	pollInterval = 5 * time.Millisecond
)

// site is the directory of one test: volumes, targets and state. It outlives the confits started on it.
type site struct {
	t   *testing.T
	dir string
	daemon
}

func newSite(t *testing.T, d daemon) *site {
	t.Helper()
	program := strings.Fields(d.app)[0]
	if _, err := exec.LookPath(program); err != nil {
		t.Fatalf("install what make test installs: %v", err)
	}
	s := &site{t, t.TempDir(), d}
	must(t, os.Chmod(filepath.Dir(s.dir), 0o755))
	must(t, os.Chmod(s.dir, 0o755))
	for _, path := range []string{"volumes/web", "etc", "state"} {
		must(t, os.MkdirAll(filepath.Join(s.dir, path), 0o755))
	}
	for path, content := range d.image {
		must(t, os.MkdirAll(filepath.Dir(filepath.Join(s.dir, path)), 0o755))
		s.write(path, content)
	}
	return s
}

func (s *site) write(path, content string) {
	s.t.Helper()
	must(s.t, os.WriteFile(filepath.Join(s.dir, path), []byte(content), 0o644))
}

// swap makes the configuration the only key of the volume, as the kubelet does.
func (s *site) swap(configuration string) {
	s.t.Helper()
	must(s.t, volume.Write(filepath.Join(s.dir, "volumes/web"), volume.Strings(s.key, configuration)))
}

// confit is a started one with its daemon, and what both wrote.
type confit struct {
	*site
	output
	cmd   *exec.Cmd
	netns *os.File
	ended chan struct{} // closed after the last process of the box is gone
}

// start runs confit with the daemon, with these flags besides the lines of the links file.
func (s *site) start(flags ...string) *confit {
	s.t.Helper()
	s.write("links", s.links())
	c := &confit{site: s, ended: make(chan struct{})}
	argv := []string{confitPath, "--links", root + "/links", "--volumes", root + "/volumes", "--rescan", "1h"}
	argv = append(append(append(argv, flags...), "--"), strings.Fields(s.app)...)
	c.cmd = &exec.Cmd{
		Path: "/proc/self/exe", Args: argv, Dir: "/",
		Env:    []string{roleVariable + "=enter", rootVariable + "=" + s.dir},
		Stdout: &c.output, Stderr: &c.output,
		SysProcAttr: &syscall.SysProcAttr{
			Cloneflags: syscall.CLONE_NEWPID | syscall.CLONE_NEWNS | syscall.CLONE_NEWNET,
			Pdeathsig:  syscall.SIGKILL,
		},
	}
	must(s.t, c.cmd.Start())
	netns, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", c.cmd.Process.Pid))
	must(s.t, err)
	c.netns = netns
	go func() { // the only one to wait; everybody else looks at ended
		_ = c.cmd.Wait()
		close(c.ended)
	}()
	s.t.Cleanup(c.cleanUp)
	return c
}

// kill ends the box at once: with its PID 1 the kernel ends every process in it.
func (c *confit) kill() {
	_ = c.cmd.Process.Kill() // it may have ended
	<-c.ended
}

func (c *confit) cleanUp() {
	c.kill()
	c.netns.Close()
	if c.logged("goroutine ") > 0 {
		c.t.Error("confit crashed")
	}
	if c.t.Failed() {
		text := c.String()
		const head, tail = 4000, 12000
		if len(text) > head+tail {
			text = text[:head] + "\n…\n" + text[len(text)-tail:]
		}
		c.t.Logf("%q\nlinks file:\n%s\nlog:\n%s", c.cmd.Args, c.links(), text)
	}
}

func (c *confit) alive() bool {
	select {
	case <-c.ended:
		return false
	default:
		return true
	}
}

// eventually polls until ok. It fails the test when that takes longer than patience or confit ends before.
func (c *confit) eventually(what string, ok func() bool) {
	c.t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(pollInterval) {
		alive := c.alive() // before ok, so that what was written last is seen
		switch {
		case ok():
			return
		case !alive:
			c.t.Fatalf("confit ended (%v) before: %s", c.cmd.ProcessState, what)
		case time.Now().After(deadline):
			c.t.Fatalf("not within %v: %s", patience, what)
		}
	}
}

// logs waits for a line of the log that holds all of these.
func (c *confit) logs(parts ...string) {
	c.t.Helper()
	c.eventually(fmt.Sprintf("a log line with %q", parts), func() bool { return c.logged(parts...) > 0 })
}

// wantLogged checks how many lines of the log hold all of these. They may come in later than what they are about; of what must
// not have been logged, none is waited for.
func (c *confit) wantLogged(want int, parts ...string) {
	c.t.Helper()
	if want > 0 {
		c.eventually(fmt.Sprintf("%d log lines with %q", want, parts), func() bool { return c.logged(parts...) >= want })
	}
	if got := c.logged(parts...); got != want {
		c.t.Errorf("%d log lines with %q, want %d", got, parts, want)
	}
}

// stops asks confit to stop, as a container runtime does, and checks the exit code.
func (c *confit) stops(code int) {
	c.t.Helper()
	must(c.t, c.cmd.Process.Signal(syscall.SIGTERM))
	c.ends(code)
}

// ends waits for the end of confit and checks its exit code.
func (c *confit) ends(code int) {
	c.t.Helper()
	for deadline := time.Now().Add(patience); c.alive(); time.Sleep(pollInterval) {
		if time.Now().After(deadline) {
			c.t.Fatalf("confit doesn't end within %v", patience)
		}
	}
	if got := c.cmd.ProcessState.ExitCode(); got != code {
		c.t.Errorf("confit ended with %v, want exit code %d", c.cmd.ProcessState, code)
	}
}

// output is what was written so far.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// logged counts the lines that hold all of these.
func (o *output) logged(parts ...string) int { return len(o.lines(parts...)) }

// line is the first that holds this; "" without one.
func (o *output) line(part string) string {
	return append(o.lines(part), "")[0]
}

func (o *output) lines(parts ...string) (found []string) {
lines:
	for line := range strings.Lines(o.String()) {
		for _, part := range parts {
			if !strings.Contains(line, part) {
				continue lines
			}
		}
		found = append(found, line)
	}
	return found
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

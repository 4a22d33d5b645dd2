//go:build conformance

package conformance

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

const (
	// patience bounds every wait. It is that long for a machine that is busy with much else; a case that comes out as
	// the table says never waits for it to pass.
	patience     = 40 * time.Second
	pollInterval = 2 * time.Millisecond
	nobody       = 65534
)

// subject is one init on which one case is tried.
type subject struct {
	program
	t *testing.T
}

// setup is how an init is started, beyond its command line.
type setup struct {
	box
	options []option
	bare    bool // no part of this suite in the namespace, and the /proc of outside: quick
	dir     string
	stdin   io.Reader
	stderr  *os.File
	extra   []*os.File // descriptors 3 and up
	tty     *os.File   // descriptors 0 to 2, and the controlling terminal
	raw     []string   // the init's arguments, where they are not "--" and the app
}

// errLacks is the answer of an init that has no such option.
var errLacks = errors.New("no such option")

// started is a running init with its app.
type started struct {
	t              *testing.T
	cmd            *exec.Cmd
	ns             os.FileInfo
	stdout, stderr output
	ended          chan struct{} // closed after the last process of the namespace is gone
}

func (s subject) start(how setup, app ...string) *started {
	s.t.Helper()
	argv := append(s.commandLine(s.t, how.User, how.options), "--")
	if how.raw != nil {
		argv = argv[:len(argv)-1]
	}
	how.Argv = append(append(argv, how.raw...), app...)
	if how.Env == nil {
		how.Env = []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin"}
	}
	p := &started{t: s.t, ended: make(chan struct{})}
	p.cmd = p.command(how)
	mustDo(s.t, p.cmd.Start())
	if ns, err := os.Stat(fmt.Sprintf("/proc/%d/ns/pid", p.cmd.Process.Pid)); err == nil {
		p.ns = ns
	}
	go func() { // the only one to wait; everybody else looks at ended
		_ = p.cmd.Wait()
		close(p.ended)
	}()
	s.t.Cleanup(p.kill)
	return p
}

func (p *started) command(how setup) *exec.Cmd {
	cmd := &exec.Cmd{
		Path: how.Argv[0], Args: how.Argv, Env: how.Env, Dir: how.dir,
		Stdin: how.stdin, Stdout: &p.stdout, Stderr: &p.stderr, ExtraFiles: how.extra,
		SysProcAttr: &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID, Pdeathsig: syscall.SIGKILL},
	}
	if how.stderr != nil {
		cmd.Stderr = how.stderr
	}
	if how.tty != nil {
		cmd.Stdin, cmd.Stdout, cmd.Stderr = how.tty, how.tty, how.tty
		cmd.SysProcAttr.Setsid, cmd.SysProcAttr.Setctty = true, true
	}
	if !how.bare {
		how.Extra = len(how.extra)
		encoded, err := json.Marshal(how.box)
		mustDo(p.t, err)
		cmd.Path, cmd.Args = "/proc/self/exe", []string{"enter"}
		cmd.Env = []string{roleVariable + "=enter", boxVariable + "=" + string(encoded)}
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWNS
	}
	return cmd
}

// pause is the time between two looks.
func pause() { time.Sleep(pollInterval) }

// kill ends the namespace at once: with its PID 1 the kernel ends every process in it.
func (p *started) kill() {
	_ = p.cmd.Process.Kill()
	<-p.ended
	if p.t.Failed() {
		p.t.Logf("%q\nstdout: %.4000q\nstderr: %.4000q", p.cmd.Args, p.stdout.String(), p.stderr.String())
	}
}

func (p *started) send(sig syscall.Signal) { _ = p.cmd.Process.Signal(sig) }

// over reports whether the init has ended.
func (p *started) over() bool {
	select {
	case <-p.ended:
		return true
	default:
		return false
	}
}

// until polls, but not for longer than the init lives.
func (p *started) until(what string, holds func() bool) error {
	for deadline := time.Now().Add(patience); ; pause() {
		over := p.over()
		switch {
		case holds():
			return nil
		case over:
			return fmt.Errorf("ended before this: %s", what)
		case time.Now().After(deadline):
			return fmt.Errorf("never: %s", what)
		}
	}
}

// says waits for a text on standard output.
func (p *started) says(text string) error {
	return p.until(fmt.Sprintf("the app says %q", text), func() bool { return strings.Contains(p.stdout.String(), text) })
}

// exits waits for the end of the init.
func (p *started) exits(code int) error {
	select {
	case <-p.ended:
	case <-time.After(patience):
		return errors.New("does not end")
	}
	if got := p.cmd.ProcessState.ExitCode(); got != code {
		return fmt.Errorf("exit code %d instead of %d", got, code)
	}
	return nil
}

// members lists the states of the namespace's processes, zombies included. What disappears meanwhile is left out.
func (p *started) members() (states []string) {
	links, _ := filepath.Glob("/proc/[0-9]*/ns/pid")
	for _, link := range links {
		if ns, err := os.Stat(link); err != nil || !os.SameFile(ns, p.ns) {
			continue
		}
		stat, _ := os.ReadFile(filepath.Join(filepath.Dir(filepath.Dir(link)), "stat"))
		if _, state, found := strings.Cut(string(stat), ") "); found {
			states = append(states, state[:1])
		}
	}
	return states
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

// count is how often a line was written.
func (o *output) count(line string) int {
	return strings.Count("\n"+strings.ReplaceAll(o.String(), "\n", "\n\n"), "\n"+line+"\n")
}

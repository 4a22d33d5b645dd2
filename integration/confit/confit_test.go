package confit

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// setup is what one test prepares for its confits: a directory with volumes, targets and state, a links file, flags.
type setup struct {
	t     *testing.T
	dir   string
	state string
	lines []string // of the links file
	flags []string
	env   []string
	box   harness.Box
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
	s.env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", harness.RoleVariable + "=app"}
	if raced {
		s.env = append(s.env, "GORACE=atexit_sleep_ms=0") // or each end takes a second
	}
	return s
}

// app makes the command line of the harness's small daemon.
func app(flags ...string) []string {
	return append([]string{programs.app}, flags...)
}

// sheltered is a command whose program ignores HUP until its handler is in place. A Go program would die of one that comes earlier, and what
// was put off at a kill is reloaded when the app has hardly begun.
func sheltered(app []string) []string {
	return append([]string{"sh", "-c", `trap '' HUP; exec "$@"`, "sheltered"}, app...)
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

// write writes a file that may be executed.
func (s *setup) write(path, content string) string {
	s.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := harness.WriteProgram(path, []byte(content)); err != nil {
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
// was lost isn't covered up by one; one that says nothing of probation or soak has none, so that one swap can follow another at once.
func (s *setup) command(flags ...string) []string {
	text := strings.Join(s.lines, "\n") + "\n"
	argv := []string{s.program, "--links", s.write(s.path("links"), text), "--volumes", s.path("volumes"), "--state", s.state}
	for flag, value := range map[string]string{"rescan": "1h", "probation": "0s", "soak": "0s"} {
		if !s.says(flag) {
			argv = append(argv, "--"+flag, value)
		}
	}
	return append(append(argv, s.flags...), flags...)
}

// says reports that the test sets a flag in some way.
func (s *setup) says(flag string) bool {
	return strings.Contains(strings.Join(slices.Concat(s.lines, s.env, s.flags), "\n"), flag)
}

// commandOf is confit's command line with an app. A shell that is the app for life executes nothing, so nobody waits for that, unless the
// test says something else.
func (s *setup) commandOf(app ...string) []string {
	argv := s.command()
	if isShell(app) && !s.says("entrypoint-timeout") {
		argv = append(argv, "--entrypoint-timeout", "0")
	}
	return append(append(argv, "--"), app...)
}

// executes is the last command of a script that becomes another program.
var executes = regexp.MustCompile(`\bexec [^;&\n]*\n?$`)

// isShell reports that an app is a shell, and stays one.
func isShell(app []string) bool {
	return slices.Contains([]string{"sh", "bash", "dash"}, app[0]) && !slices.ContainsFunc(app, executes.MatchString)
}

// confit is a started one, and what it wrote.
type confit struct {
	*harness.Run
	t     *testing.T
	setup *setup
}

// start runs confit with an app, and ends all of it with the test.
func (s *setup) start(app ...string) *confit {
	s.t.Helper()
	return s.startCommand(s.commandOf(app...)...)
}

// startCommand runs any command line in the box.
func (s *setup) startCommand(argv ...string) *confit {
	s.t.Helper()
	return s.run(harness.Command{Argv: argv})
}

// startGated is start, but confit waits until Open is called.
func (s *setup) startGated(app ...string) *confit {
	s.t.Helper()
	return s.run(harness.Command{Argv: s.commandOf(app...), Gate: true})
}

func (s *setup) run(command harness.Command) *confit {
	s.t.Helper()
	command.Box, command.Env, command.Dir = s.box, s.env, s.dir
	if s.tty != nil {
		command.Terminal = s.tty.Terminal
	}
	c := &confit{harness.Start(s.t, command), s.t, s}
	c.AtEnd = c.atEnd
	return c
}

// atEnd also checks what must hold in every test, whatever it is about.
func (c *confit) atEnd() {
	for _, fault := range []string{"WARNING: DATA RACE", "panic: ", "fatal error: "} {
		if c.Contains(fault) {
			c.t.Errorf("the transcript holds %q", fault)
		}
	}
	if c.t.Failed() {
		c.t.Logf("links file:\n%s", strings.Join(c.setup.lines, "\n"))
	}
}

// running are the processes other than confit whose command line holds a text. Confit's own holds its hooks' and the
// app's, and so does that of a shell which is about to become confit.
func (c *confit) running(text string) []harness.Process {
	var found []harness.Process
	for _, p := range c.Processes() {
		if strings.Contains(p.Command, text) && !strings.Contains(p.Command, c.setup.program+" ") {
			found = append(found, p)
		}
	}
	return found
}

func isConfit(p harness.Process) bool {
	return strings.HasPrefix(p.Command, programs.confit+" ") || strings.HasPrefix(p.Command, programs.shipped+" ")
}

// find waits for a process whose command line holds a text.
func (c *confit) find(text string) harness.Process {
	c.t.Helper()
	var found []harness.Process
	c.Eventually("a process "+strconv.Quote(text), func() bool {
		found = c.running(text)
		return len(found) > 0
	})
	return found[0]
}

// findItself waits for a process whose command line begins with a text. That of who starts it may hold the text, too.
func (c *confit) findItself(text string) (found harness.Process) {
	c.t.Helper()
	c.Eventually("process "+strconv.Quote(text)+" itself", func() bool {
		for _, p := range c.running(text) {
			if strings.HasPrefix(p.Command, text) {
				found = p
			}
		}
		return found.PID != 0
	})
	return found
}

// gone waits until no process has a text in its command line.
func (c *confit) gone(text string) {
	c.t.Helper()
	c.Eventually("no process "+strconv.Quote(text), func() bool { return len(c.running(text)) == 0 })
}

// signalProcess sends a signal to a process other than confit.
func (c *confit) signalProcess(p harness.Process, sig syscall.Signal) {
	c.t.Helper()
	if err := syscall.Kill(p.PID, sig); err != nil {
		c.t.Fatalf("cannot send %v to %q: %v", sig, p.Command, err)
	}
}

// stops asks confit to stop and waits for the app's own end.
func (c *confit) stops(code int) {
	c.t.Helper()
	c.Signal(syscall.SIGTERM)
	c.Ends(code)
}

// term sends TERM to confit, be it PID 1 or not.
func (c *confit) term() {
	c.t.Helper()
	for _, p := range c.Processes() {
		if isConfit(p) {
			c.signalProcess(p, syscall.SIGTERM)
			return
		}
	}
	c.t.Fatal("confit isn't running")
}

// zombie tells whether there is one now.
func (c *confit) zombie() bool {
	for _, p := range c.Processes() {
		if p.State == "Z" {
			return true
		}
	}
	return false
}

//go:build conformance

package conformance

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

var terminals = []behaviour{
	{name: "terminal: the app reads and writes", try: terminalEcho,
		does: "a pseudo-terminal, its session led by the init: a line comes in, a line goes out, ^D is the end of input"},
	{name: "terminal: ^C reaches the app, 130", try: terminalInterrupt,
		does: "`sleep` as the app, ^C typed"},
	{name: "terminal: an interactive shell has job control", try: jobControl,
		does: "`bash -i` as the app: `m` is in `$-`"},
	{name: "terminal: ^Z and fg below such a shell", try: suspendAndResume,
		does: "a command that reads is stopped by ^Z, the prompt comes back, and after `fg` it has its line"},
}

// typist is an init on a terminal, and the other end of the terminal.
type typist struct {
	*started
	terminal *harness.Terminal
}

func (s subject) onTerminal(app ...string) typist {
	s.t.Helper()
	terminal, err := harness.OpenTerminal()
	mustDo(s.t, err)
	s.t.Cleanup(terminal.Close)
	env := []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "TERM=dumb", "HOME=/nonexistent", "PS1=$ "}
	return typist{s.start(setup{Command: harness.Command{Env: env, Terminal: terminal}}, app...), terminal}
}

func (k typist) types(text string) { mustDo(k.t, k.terminal.Type(text)) }

// shows waits for a text on the terminal.
func (k typist) shows(text string) error {
	return k.Until(fmt.Sprintf("the terminal shows %q", text), func() bool { return strings.Contains(k.terminal.Screen(), text) })
}

func terminalEcho(s subject) error {
	k := s.onTerminal("sh", "-c", `read x; echo "got $x"; cat; exit 7`)
	k.types("hello\n")
	if err := k.shows("got hello\r\n"); err != nil {
		return err
	}
	k.types(harness.CtrlD)
	return k.exits(7)
}

func terminalInterrupt(s subject) error {
	k := s.onTerminal("sh", "-c", "echo ready; exec sleep 7654321")
	if err := k.shows("ready\r\n"); err != nil {
		return err
	}
	k.types(harness.CtrlC)
	return k.exits(130)
}

var interactive = []string{"bash", "--norc", "--noprofile", "--noediting", "-i"}

func jobControl(s subject) error {
	k := s.onTerminal(interactive...)
	k.types("echo fl''ags=$-.; exit 3\n") // the terminal shows the line, too, but not so
	if err := k.exits(3); err != nil {
		return err
	}
	k.terminal.Close() // all was shown
	_, flags, _ := strings.Cut(k.terminal.Screen(), "flags=")
	if flags, _, _ = strings.Cut(flags, "."); !strings.Contains(flags, "m") {
		return errors.New("the shell has none")
	}
	return nil
}

// suspendAndResume looks first whether ^Z can stop the command at all, so as not to wait for nothing. It waits for the prompt
// before it types more: ^Z discards what was typed before.
func suspendAndResume(s subject) error {
	k := s.onTerminal(interactive...)
	k.types(`sh -c 'echo "blocked=$(sed -n "s/SigBlk:.//p" /proc/$$/status)."; read x; echo "got $x"'` + "\n")
	if err := k.shows(".\r\n"); err != nil {
		return err
	}
	_, mask, _ := strings.Cut(k.terminal.Screen(), "blocked=0")
	mask, _, _ = strings.Cut(mask, ".\r\n")
	switch blocked, err := strconv.ParseUint(mask, 16, 64); {
	case err != nil:
		return err
	case blocked&(1<<(unix.SIGTSTP-1)) != 0:
		return errors.New("TSTP is blocked in it")
	}
	k.types(harness.CtrlZ)
	if err := k.shows("Stopped"); err != nil {
		return err
	}
	if err := k.Until("the prompt is back", func() bool {
		_, after, _ := strings.Cut(k.terminal.Screen(), "Stopped")
		return strings.Contains(after, "$ ")
	}); err != nil {
		return err
	}
	k.types("fg\nhello\n")
	if err := k.shows("got hello\r\n"); err != nil {
		return err
	}
	k.types("exit 3\n")
	return k.exits(3)
}

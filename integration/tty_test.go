package integration

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"golang.org/x/sys/unix"
)

// terminal is a pseudo-terminal, seen from the side of who sits at it: pty(7).
type terminal struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	over   chan struct{} // closed when nobody has the terminal open any more

	mu     sync.Mutex
	screen strings.Builder // all that was ever shown
	seen   int             // how much of it the test has looked at
}

// onTerminal gives what is started next a terminal as its standard input, output and error.
func (s *setup) onTerminal() *terminal {
	s.t.Helper()
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		s.t.Fatal(err)
	}
	k := &terminal{t: s.t, master: master, over: make(chan struct{})}
	number, err := unix.IoctlGetUint32(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		k.slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	go k.watch()
	s.t.Cleanup(func() { // comes after the end of what was started later
		k.slave.Close()
		<-k.over
		k.master.Close()
		if s.t.Failed() {
			s.t.Logf("the screen:\n%q", k.screen.String())
		}
	})
	s.tty = k
	return k
}

// attach gives a command, which leads a session, the terminal.
func (k *terminal) attach(cmd *exec.Cmd) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = k.slave, k.slave, k.slave
	cmd.SysProcAttr.Setctty = true
}

// watch reads until nobody has the terminal open any more: EIO.
func (k *terminal) watch() {
	defer close(k.over)
	text := make([]byte, 4096)
	for {
		n, err := k.master.Read(text)
		if err != nil {
			return
		}
		k.mu.Lock()
		k.screen.Write(text[:n])
		k.mu.Unlock()
	}
}

func (k *terminal) types(text string) {
	k.t.Helper()
	if _, err := k.master.WriteString(text); err != nil {
		k.t.Fatal(err)
	}
}

// shows waits for a text behind the last one that was waited for. What is typed is shown, too: a test that types a command
// writes it other than what it prints.
func (k *terminal) shows(text string) {
	k.t.Helper()
	found, over := false, false
	eventually(k.t, fmt.Sprintf("the terminal shows %q", text), func() bool {
		over = k.left() // before the look, so that what was written last is seen
		found = k.advance(text)
		return found || over
	})
	if !found {
		k.t.Fatalf("everybody left the terminal before it showed %q", text)
	}
}

// left tells whether nobody has the terminal open any more.
func (k *terminal) left() bool {
	select {
	case <-k.over:
		return true
	default:
		return false
	}
}

// advance goes behind the next place of a text, if there is one.
func (k *terminal) advance(text string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	at := strings.Index(k.screen.String()[k.seen:], text)
	if at >= 0 {
		k.seen += at + len(text)
	}
	return at >= 0
}

// does types a line and waits for what comes of it.
func (k *terminal) does(line, shown string) {
	k.t.Helper()
	k.types(line + "\n")
	k.shows(shown)
}

// runs is does for a command of a shell, whose prompt comes after it.
func (k *terminal) runs(line, shown string) {
	k.t.Helper()
	k.does(line, shown)
	k.shows(prompt)
}

// interrupts types ^C at a shell's command. What is typed before the prompt is back would be thrown away with it.
func (k *terminal) interrupts() {
	k.t.Helper()
	k.types(ctrlC)
	k.shows(prompt)
}

// lacks checks that a text was never shown.
func (k *terminal) lacks(text string) {
	k.t.Helper()
	k.mu.Lock()
	defer k.mu.Unlock()
	if strings.Contains(k.screen.String(), text) {
		k.t.Errorf("the terminal shows %q", text)
	}
}

func (k *terminal) resize(rows, columns uint16) {
	k.t.Helper()
	if err := unix.IoctlSetWinsize(int(k.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns}); err != nil {
		k.t.Fatal(err)
	}
}

// foreground is the group that has the terminal, numbered as outside the namespace.
func (k *terminal) foreground() int {
	k.t.Helper()
	group, err := unix.IoctlGetUint32(int(k.master.Fd()), unix.TIOCGPGRP)
	if err != nil {
		k.t.Fatal(err)
	}
	return int(group)
}

// Keys that the terminal turns into signals, termios(3).
const (
	ctrlC = "\x03"
	ctrlD = "\x04"
	ctrlZ = "\x1a"
)

// prompt is that of a shell that has promptVariable in its environment.
const (
	prompt         = "% "
	promptVariable = "PS1=" + prompt
)

// shell is an interactive one, which has job control.
var shell = []string{"/bin/bash", "--norc", "--noprofile", "--noediting", "-i"}

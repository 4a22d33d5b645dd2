package confit

import (
	"fmt"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// terminal is one at which a test sits.
type terminal struct {
	*harness.Terminal
	t    *testing.T
	seen int // how much of the screen the test has looked at
}

// onTerminal gives what is started next a terminal as its standard input, output and error.
func (s *setup) onTerminal() *terminal {
	s.t.Helper()
	opened, err := harness.OpenTerminal()
	if err != nil {
		s.t.Fatal(err)
	}
	k := &terminal{Terminal: opened, t: s.t}
	s.t.Cleanup(func() { // comes after the end of what was started later
		k.Close()
		if s.t.Failed() {
			s.t.Logf("the screen:\n%q", k.Screen())
		}
	})
	s.tty = k
	return k
}

func (k *terminal) types(text string) {
	k.t.Helper()
	if err := k.Type(text); err != nil {
		k.t.Fatal(err)
	}
}

// shows waits for a text behind the last one that was waited for. What is typed is shown, too: a test that types a command
// writes it other than what it prints.
func (k *terminal) shows(text string) {
	k.t.Helper()
	found, over := false, false
	harness.Eventually(k.t, fmt.Sprintf("the terminal shows %q", text), func() bool {
		over = k.Left() // before the look, so that what was written last is seen
		found = k.advance(text)
		return found || over
	})
	if !found {
		k.t.Fatalf("everybody left the terminal before it showed %q", text)
	}
}

// advance goes behind the next place of a text, if there is one.
func (k *terminal) advance(text string) bool {
	at := strings.Index(k.Screen()[k.seen:], text)
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
	k.types(harness.CtrlC)
	k.shows(prompt)
}

// lacks checks that a text was never shown.
func (k *terminal) lacks(text string) {
	k.t.Helper()
	if strings.Contains(k.Screen(), text) {
		k.t.Errorf("the terminal shows %q", text)
	}
}

func (k *terminal) resize(rows, columns uint16) {
	k.t.Helper()
	if err := k.Resize(rows, columns); err != nil {
		k.t.Fatal(err)
	}
}

// foreground is the group that has the terminal, numbered as outside the box.
func (k *terminal) foreground() int {
	k.t.Helper()
	group, err := k.Foreground()
	if err != nil {
		k.t.Fatal(err)
	}
	return group
}

// prompt is that of a shell that has promptVariable in its environment.
const (
	prompt         = "% "
	promptVariable = "PS1=" + prompt
)

// shell is an interactive one, which has job control.
var shell = []string{"/bin/bash", "--norc", "--noprofile", "--noediting", "-i"}

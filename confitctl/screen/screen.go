// Package screen shows people how something goes on: on a terminal by one line that is renewed in place, in a log by a line for
// each step.
//
// It guarantees that whatever else is written stands above the line that is renewed, and that the last state of that line stays.
package screen

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// Screen is a program's stderr. It is for several goroutines.
type Screen struct {
	Out   io.Writer
	Width func() int // of the terminal, in columns; 0: not known. nil: Out is a log

	lock  sync.Mutex
	shown string // in the line where the cursor is
	step  string // of the log's last line
}

// On is a screen on a program's stderr, or that itself if it is one.
func On(w io.Writer) *Screen {
	if s, is := w.(*Screen); is {
		return s
	}
	s := &Screen{Out: w}
	if f, is := w.(*os.File); is && term.IsTerminal(int(f.Fd())) && os.Getenv("TERM") != "dumb" {
		s.Width = func() int {
			width, _, _ := term.GetSize(int(f.Fd())) // 0 if it doesn't say
			return width
		}
	}
	return s
}

// Write writes whole lines, above the one that is renewed.
func (s *Screen) Write(p []byte) (n int, err error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	state := s.shown
	if state != "" {
		s.renew("")
		fmt.Fprint(s.Out, "\r")
	}
	n, err = s.Out.Write(p)
	if state != "" {
		s.renew(state)
	}
	return n, err
}

// Show shows a state in the place of the last one. A log has it only if its step is another than that of the state that the
// log has; "" is none.
func (s *Screen) Show(state, step string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	switch {
	case s.Width != nil && state != s.shown:
		s.renew(state)
	case s.Width == nil && step != "" && step != s.step:
		s.step = step
		fmt.Fprintln(s.Out, state)
	}
}

// Keep lets the last state stay. What comes next stands below it.
func (s *Screen) Keep() {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.shown != "" {
		fmt.Fprintln(s.Out)
	}
	s.shown, s.step = "", ""
}

// renew writes a state over the last one. Blanks clear the rest of the line, as not every terminal knows a command for that. A
// state that the terminal would break into two lines is cut.
func (s *Screen) renew(state string) {
	text, was := []rune(state), len([]rune(s.shown))
	if width := s.Width(); width > 1 {
		text, was = text[:min(len(text), width-1)], min(was, width-1)
	}
	fmt.Fprint(s.Out, "\r", string(text), strings.Repeat(" ", max(0, was-len(text))))
	s.shown = state
}

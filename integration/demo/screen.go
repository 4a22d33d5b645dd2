package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// ANSI colours, and what switches them off.
const (
	bold, red, green, dim, plain = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[2m", "\x1b[0m"
)

// readingTime is how long a reader has for each act on a terminal.
const readingTime = time.Second

// screen lays text out on standard output: in colour, as wide as it is and in a reader's time if it is a terminal.
type screen struct {
	terminal bool
	width    int
}

func newScreen() screen {
	size, err := unix.IoctlGetWinsize(int(os.Stdout.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return screen{width: 100}
	}
	return screen{terminal: true, width: max(int(size.Col), 60)}
}

func (s screen) print(colour, text string) {
	if s.terminal && colour != "" {
		text = colour + text + plain
	}
	fmt.Println(text)
}

// act begins a new part: a heading and what it is about.
func (s screen) act(heading, about string) {
	fmt.Println()
	s.print(bold, heading)
	s.say(about)
}

// say prints a paragraph.
func (s screen) say(text string) {
	for _, line := range wrap(text, s.width) {
		s.print("", line)
	}
}

// command shows what a user would type, and what that prints.
func (s screen) command(line string, output ...string) {
	fmt.Println()
	s.print(bold, "  $ "+line)
	for _, o := range output {
		s.print("", "  "+o)
	}
}

// note is what to see in the output above it.
func (s screen) note(text string) {
	fmt.Println()
	s.print("", "  "+text)
}

// diff shows the change of one line of a file.
func (s screen) diff(before, after string) {
	s.print(red, "  - "+strings.TrimSpace(before))
	s.print(green, "  + "+strings.TrimSpace(after))
}

// log shows what the container logged, with the name of who wrote it.
func (s screen) log(lines []string) {
	fmt.Println()
	for _, line := range lines {
		who, colour := "nginx ", ""
		if text, ok := confitLine(line); ok {
			who, colour, line = "confit", dim, text
		}
		if strings.Contains(line, "[emerg]") || strings.HasPrefix(line, "level=ERROR") {
			colour = red
		}
		const margin = 11
		for i, part := range wrap(line, s.width-margin) {
			if i > 0 {
				who = "      "
			}
			s.print(colour, "  "+who+" | "+part)
		}
	}
}

// confitLine is a line of confit's log without its time, which says little in a demo of seconds.
func confitLine(line string) (string, bool) {
	when, text, ok := strings.Cut(line, " ")
	return text, ok && strings.HasPrefix(when, "time=")
}

// pause gives a reader time, on a terminal only.
func (s screen) pause(ctx context.Context) {
	if !s.terminal {
		return
	}
	select {
	case <-time.After(readingTime):
	case <-ctx.Done():
	}
}

// wrap breaks a text at blanks into lines of a width. A longer word stays whole.
func wrap(text string, width int) []string {
	words := strings.Fields(text)
	if len(words) == 0 {
		return []string{""}
	}
	lines := words[:1:1]
	for _, word := range words[1:] {
		if last := len(lines) - 1; len(lines[last])+1+len(word) <= width {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return lines
}

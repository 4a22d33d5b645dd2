package process

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// maxLine is the longest line of a record, in bytes: half of what containerd takes as one line
// (max_container_log_line_size of its CRI plugin), as a record is longer.
const maxLine = 8 << 10

// Lines writes a record of each line that a hook prints, in whatever pieces it comes. A line that
// is too long becomes several. So Lines holds little, and loses nothing: Output ends the last line.
type Lines struct {
	To     io.Writer
	Record func(line string) []byte // of a line without its newline

	held []byte // begins a line, and has no newline
}

// Write never fails.
func (l *Lines) Write(p []byte) (int, error) {
	rest := append(l.held, p...)
	for end, next := cut(rest); next > 0; end, next = cut(rest) {
		_, _ = l.To.Write(l.Record(string(rest[:end]))) // a log that was closed has no remedy
		rest = rest[next:]
	}
	l.held = append(l.held[:0], rest...)
	return len(p), nil
}

// cut finds the end of the first line and the start of the next one; 0: the line may go on. It
// divides a line that is too long between two characters.
func cut(text []byte) (end, next int) {
	if i := bytes.IndexByte(text[:min(len(text), maxLine+1)], '\n'); i >= 0 {
		return i, i + 1
	}
	if len(text) <= maxLine {
		return 0, 0
	}
	for end = maxLine; end > maxLine-utf8.UTFMax && !utf8.RuneStart(text[end]); end-- {
	}
	return end, end
}

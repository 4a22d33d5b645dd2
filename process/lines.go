package process

import (
	"bytes"
	"io"
	"unicode/utf8"
)

// maxLine is the most that Lines hands on in one piece, in bytes: half of what
// containerd takes as one line (max_container_log_line_size of its CRI plugin), as
// a record has more in it than the line.
const maxLine = 8 << 10

// batch is how much Lines gathers before it writes, in bytes: a log that takes
// each record for itself is slow.
const batch = 16 << 10

// Lines makes a record of each line that a hook prints, in whatever pieces it
// comes, and writes whole records. A line that is too long comes in several. So
// it holds little, and loses nothing: Output ends the last line.
type Lines struct {
	To     io.Writer
	Record func(line string) []byte // of a line without its newline

	held    []byte // begins a line, and has no newline
	records []byte // not written yet
}

// Write never fails.
func (l *Lines) Write(p []byte) (int, error) {
	rest := append(l.held, p...)
	for end, next := cut(rest); next > 0; end, next = cut(rest) {
		l.records = append(l.records, l.Record(string(rest[:end]))...)
		if len(l.records) >= batch {
			l.flush()
		}
		rest = rest[next:]
	}
	l.held = append(l.held[:0], rest...)
	l.flush()
	return len(p), nil
}

func (l *Lines) flush() {
	if len(l.records) > 0 {
		_, _ = l.To.Write(l.records) // a log that was closed has no remedy
	}
	l.records = l.records[:0]
}

// cut finds the first line's end, and where the next one begins; 0: the line may
// go on. It divides a line that is too long between two characters.
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

package harness

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"
)

// maxLine bounds what is kept of a line: a hook may print 10 MiB without a line end.
const maxLine = 4096

// Transcript is everything that one box wrote, in the order in which it came in. The zero value is empty. Its methods may be called
// while the box writes.
type Transcript struct {
	mu      sync.Mutex
	lines   []line
	streams map[string]*stream
}

type line struct {
	at           time.Time
	stream, text string
}

type stream struct {
	transcript *Transcript
	name       string
	partial    []byte // of the line that has no end yet
	size       int    // what was written, kept or not
}

// Stream makes the writer of one stream, such as "stdout".
func (tr *Transcript) Stream(name string) io.Writer {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if tr.streams == nil {
		tr.streams = map[string]*stream{}
	}
	tr.streams[name] = &stream{transcript: tr, name: name}
	return tr.streams[name]
}

func (s *stream) Write(p []byte) (int, error) {
	s.transcript.mu.Lock()
	defer s.transcript.mu.Unlock()
	s.size += len(p)
	rest := p
	for {
		text, after, found := bytes.Cut(rest, []byte{'\n'})
		s.partial = append(s.partial, text[:min(len(text), maxLine-min(maxLine, len(s.partial)))]...)
		if !found {
			return len(p), nil
		}
		s.transcript.lines = append(s.transcript.lines, line{time.Now(), s.name, string(s.partial)})
		s.partial, rest = nil, after
	}
}

// Texts are the lines of a stream that start with a prefix.
func (tr *Transcript) Texts(stream, prefix string) []string {
	return tr.matching(func(l line) bool { return l.stream == stream && strings.HasPrefix(l.text, prefix) })
}

// Lines are those of all streams that hold all of these. A part with a line feed is at the end of its line.
func (tr *Transcript) Lines(parts ...string) []string {
	return tr.matching(func(l line) bool {
		return !slices.ContainsFunc(parts, func(part string) bool { return !l.holds(part) })
	})
}

func (l line) holds(part string) bool {
	if end, ok := strings.CutSuffix(part, "\n"); ok {
		return strings.HasSuffix(l.text, end)
	}
	return strings.Contains(l.text, part)
}

// Contains tells whether any line of any stream holds a text.
func (tr *Transcript) Contains(text string) bool { return len(tr.Lines(text)) > 0 }

func (tr *Transcript) matching(ok func(line) bool) (found []string) {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for _, l := range tr.lines {
		if ok(l) {
			found = append(found, l.text)
		}
	}
	return found
}

// Text is what was written to a stream, with the line that has no end yet.
func (tr *Transcript) Text(stream string) string {
	text := strings.Join(append(tr.Texts(stream, ""), ""), "\n")
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if s := tr.streams[stream]; s != nil {
		text += string(s.partial)
	}
	return text
}

// Size is how many bytes were written to a stream, kept or not.
func (tr *Transcript) Size(stream string) int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	if s := tr.streams[stream]; s != nil {
		return s.size
	}
	return 0
}

// String is the transcript as a failed test shows it; the middle of a long one is left out.
func (tr *Transcript) String() string {
	const head, tail = 60, 140
	tr.mu.Lock()
	defer tr.mu.Unlock()
	var b strings.Builder
	for i, l := range tr.lines {
		if i == head && len(tr.lines) > head+tail {
			fmt.Fprintf(&b, "… %d lines …\n", len(tr.lines)-head-tail)
		}
		if i < head || i >= len(tr.lines)-tail {
			fmt.Fprintf(&b, "%s %s| %.600s\n", l.at.Format("05.000000"), l.stream, l.text)
		}
	}
	return b.String()
}

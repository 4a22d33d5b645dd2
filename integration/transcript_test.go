package integration

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"
)

// maxLine bounds what is kept of a line: a hook may print 10 MiB without a line end.
const maxLine = 4096

// transcript is everything that one confit and the processes below it wrote, in the order in which it came in.
type transcript struct {
	mu    sync.Mutex
	lines []line
	// bytes counts what was written per stream, kept or not.
	bytes map[string]int
}

type line struct {
	at           time.Time
	stream, text string
}

// stream makes a writer for one stream.
func (tr *transcript) stream(name string) io.Writer {
	return &streamWriter{transcript: tr, name: name}
}

type streamWriter struct {
	transcript *transcript
	name       string
	partial    []byte
}

func (w *streamWriter) Write(p []byte) (int, error) {
	w.transcript.mu.Lock()
	defer w.transcript.mu.Unlock()
	if w.transcript.bytes == nil {
		w.transcript.bytes = map[string]int{}
	}
	w.transcript.bytes[w.name] += len(p)
	rest := p
	for {
		text, after, found := bytes.Cut(rest, []byte{'\n'})
		w.partial = append(w.partial, text[:min(len(text), maxLine-min(maxLine, len(w.partial)))]...)
		if !found {
			return len(p), nil
		}
		w.transcript.lines = append(w.transcript.lines, line{time.Now(), w.name, string(w.partial)})
		w.partial, rest = nil, after
	}
}

// texts are the lines of a stream that start with a prefix.
func (tr *transcript) texts(stream, prefix string) []string {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	var found []string
	for _, l := range tr.lines {
		if l.stream == stream && strings.HasPrefix(l.text, prefix) {
			found = append(found, l.text)
		}
	}
	return found
}

// contains tells whether any line of any stream holds a text.
func (tr *transcript) contains(text string) bool {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	for _, l := range tr.lines {
		if strings.Contains(l.text, text) {
			return true
		}
	}
	return false
}

func (tr *transcript) size(stream string) int {
	tr.mu.Lock()
	defer tr.mu.Unlock()
	return tr.bytes[stream]
}

// String is the transcript as a failed test shows it; the middle of a long one is left out.
func (tr *transcript) String() string {
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

// entry is one log line of confit, by key.
type entry map[string]string

// entries are confit's own log lines with a message.
func (tr *transcript) entries(message string) []entry {
	var found []entry
	for _, text := range tr.texts("stderr", "time=") {
		if e := parseEntry(text); e["msg"] == message {
			found = append(found, e)
		}
	}
	return found
}

// wantNoErrors checks that nothing was rejected or went wrong. That the volumes didn't hold still for long enough is no
// fault, when a test swaps them as fast as it can.
func (c *confit) wantNoErrors() {
	c.t.Helper()
	var found []string
	for _, text := range c.texts("stderr", "time=") {
		if level := parseEntry(text)["level"]; (level == "ERROR" || level == "WARN") && !strings.Contains(text, "change faster") {
			found = append(found, text)
		}
	}
	if len(found) > 0 {
		c.t.Errorf("%d errors and warnings were logged; the first: %s", len(found), found[0])
	}
}

// parseEntry reads key=value and key="quoted value", as slog's text handler writes them.
func parseEntry(text string) entry {
	e := entry{}
	for text != "" {
		key, rest, found := strings.Cut(text, "=")
		if !found {
			return e
		}
		value, after := nextValue(rest)
		e[key] = value
		text = strings.TrimPrefix(after, " ")
	}
	return e
}

func nextValue(text string) (value, rest string) {
	if quoted, err := strconv.QuotedPrefix(text); err == nil && strings.HasPrefix(text, `"`) {
		value, _ = strconv.Unquote(quoted)
		return value, text[len(quoted):]
	}
	end := strings.IndexByte(text, ' ')
	if end < 0 {
		end = len(text)
	}
	return text[:end], text[end:]
}

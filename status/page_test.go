package status

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// TestTextIsTame: nothing that a hook or an app says can command a terminal or
// look like a row.
func TestTextIsTame(t *testing.T) {
	s := rejected()
	s.App.Text = "\x1b]0;owned\x07\u202egnp.exe"
	s.Rejection.Output = "one\r\x1b[2Jtwo\xff\x00\tthree\nlive       faked"
	text := string(s.Text(noon))
	for _, r := range text {
		if r != '\n' && !strconv.IsPrint(r) {
			t.Errorf("%q is in\n%s", r, text)
		}
	}
	lines := strings.Split(text, "\n")
	if slices.ContainsFunc(lines, func(line string) bool { return strings.HasPrefix(line, "live       faked") }) {
		t.Errorf("a hook adds a row:\n%s", text)
	}
	if !strings.Contains(text, "two\uFFFD\uFFFD three") {
		t.Errorf("what can be shown isn't:\n%s", text)
	}
}

// FuzzText: whatever was written as a status, the text of it is lines that nothing
// commands a terminal in, and no row of it is too long.
func FuzzText(f *testing.F) {
	for _, s := range texts() {
		f.Add(s.Encode())
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := Decode(data)
		if err != nil {
			return
		}
		text := string(s.Text(noon))
		for line := range strings.Lines(text) {
			if !strings.HasSuffix(line, "\n") || strings.ContainsFunc(line[:len(line)-1], func(r rune) bool { return !strconv.IsPrint(r) }) {
				t.Errorf("%q", line)
			}
		}
		_, rows, _ := strings.Cut(text, "\n") // a phase may be of any length
		for line := range strings.Lines(rows) {
			if utf8.RuneCountInString(line) > columns+1 {
				t.Errorf("too long: %q", line)
			}
		}
	})
}

// TestTextOfAnything: no status makes it fail, as another confit or nobody may
// have written it.
func TestTextOfAnything(t *testing.T) {
	for _, text := range []string{
		`{"version": 1}`,
		`{"version": 1, "updated": "yesterday", "phase": "running", "rejection": {"nextTry": "soon"}}`,
		`{"version": 1, "mounted": {"hash": "é"}, "live": {"hash": "é", "generation": -7}, "app": {"pid": 1}}`,
	} {
		s, err := Decode([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if got := s.Text(noon); !bytes.HasSuffix(got, []byte("\n")) || !utf8.Valid(got) {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// TestWhen: one unit, and the date of another day.
func TestWhen(t *testing.T) {
	p := page{now: noon}
	for moment, want := range map[Time]string{
		before(0):                   "now (12:00:00 UTC)",
		before(59 * time.Second):    "59 s ago (11:59:01 UTC)",
		before(time.Minute):         "1 min ago (11:59:00 UTC)",
		before(59 * time.Minute):    "59 min ago (11:01:00 UTC)",
		before(12 * time.Hour):      "12 h ago (00:00:00 UTC)",
		before(12*time.Hour + 1e9):  "12 h ago (2026-11-21 23:59:59 UTC)",
		before(47 * time.Hour):      "47 h ago (2026-11-20 13:00:00 UTC)",
		before(2 * day):             "2 days ago (2026-11-20 12:00:00 UTC)",
		before(400 * day):           "400 days ago (2025-10-18 12:00:00 UTC)",
		before(-28 * time.Second):   "in 28 s (12:00:28 UTC)",
		before(-time.Hour):          "in 1 h (13:00:00 UTC)",
		"2026-11-22T13:00:00+02:00": "1 h ago (11:00:00 UTC)",
		"":                          "at an unknown time",
	} {
		if got := p.when(moment); got != want {
			t.Errorf("%s: %q, want %q", moment, got, want)
		}
	}
}

// TestRows: lines break at blanks, and words that are too long anywhere; nothing
// is lost.
func TestRows(t *testing.T) {
	long := strings.Repeat("ä", 150)
	for text, want := range map[string]string{
		"":                                    "",
		"a  b":                                "a  b",
		"a\nb":                                "a\nb",
		"brim " + long[:128] + " and more":    "brim " + long[:128] + "\nand more",
		"over " + long[:130] + " and more":    "over " + long[:128] + "\nä and more",
		strings.Repeat("word ", 13) + "words": strings.Repeat("word ", 12) + "word\nwords",
		long:                                  long[:138] + "\n" + long[138:276] + "\n" + long[276:],
	} {
		p := page{}
		p.row("label", text)
		want = "label      " + strings.ReplaceAll(want, "\n", "\n           ") + "\n"
		if got := string(p.text); got != want {
			t.Errorf("%q:\n%s, want\n%s", text, got, want)
		}
	}
}

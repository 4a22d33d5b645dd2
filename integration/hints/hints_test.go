package hints

import (
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// row is a message that says what to do: what brings it, and the same after each way of doing that.
type row struct {
	hint  string // as docs/internals/messages.txt has it
	wrong run
	right []run
}

var tables = [][]row{lineRows, flagRows, sourceRows, moreRows, startRows, editRows}

// TestHints: the message comes, and is gone when it was done what it says.
func TestHints(t *testing.T) {
	number := 0
	for _, rows := range tables {
		for _, r := range rows {
			number++
			t.Run(strconv.Itoa(number), func(t *testing.T) { // its directory stands in values, and a socket's path is short
				t.Parallel()
				t.Log(r.hint)
				pattern := said(r.hint)
				if text := r.wrong.do(t, true); !pattern.MatchString(text) {
					t.Errorf("it isn't said:\n%s", text)
				}
				if len(r.right) == 0 {
					t.Error("nothing does what it says")
				}
				for _, right := range r.right {
					if text := right.do(t, false); pattern.MatchString(text) {
						t.Errorf("%+v: it is still said:\n%s", right, text)
					}
				}
			})
		}
	}
}

// verb is one of fmt.
var verb = regexp.MustCompile(`%(\[\d\])?[a-z]|"`)

// said matches what a message becomes, also inside of a quoted value of the log.
func said(hint string) *regexp.Regexp {
	var parts []string
	for _, part := range verb.Split(strings.TrimSpace(hint), -1) {
		parts = append(parts, regexp.QuoteMeta(part))
	}
	return regexp.MustCompile(`(?s)` + strings.Join(parts, `[^\n]*?`))
}

// isHint are the words by which a message says what to do.
var isHint = regexp.MustCompile(`\b(write|add|did you mean) |(^|[:;,] |\n|\bor |\band )(` +
	`remove|mount|raise|give|set|rename|let|lower|choose|name|make the links|make them|fix|see|put|leave it|recreate|restart the|allow|close|link or|lay it|try it|take it|end it|start (it|what)|find out)\b`)

// never says what looks like a hint and is none.
var never = regexp.MustCompile(`cannot (%s|write|add) |others (may|could) write|can't write it|others may write|didn't write|the bits set|^set -$`)

// TestEveryHint: each message that says what to write has a row, or a reason.
func TestEveryHint(t *testing.T) {
	list, err := os.ReadFile("../../docs/internals/messages.txt")
	if err != nil {
		t.Fatal(err)
	}
	done := map[string]bool{}
	for _, rows := range tables {
		for _, r := range rows {
			done[r.hint] = true
		}
	}
	known, proven, left := map[string]bool{}, 0, 0
	for line := range strings.Lines(string(list)) {
		_, quoted, _ := strings.Cut(strings.TrimSpace(line), ": ")
		text, err := strconv.Unquote(quoted)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		known[text] = true
		reason, has := reasons[text]
		switch hint := isHint.MatchString(text) && !never.MatchString(text); {
		case done[text] && has:
			t.Errorf("%q has a row, and a reason why not: %s", text, reason)
		case done[text]:
			proven++
		case has:
			left++
		case hint:
			t.Errorf("nobody does what this says: %q", text)
		}
	}
	for _, list := range [][]string{keys(done), keys(reasons)} {
		for _, text := range list {
			if !known[text] {
				t.Errorf("no message is %q", text)
			}
		}
	}
	t.Logf("%d messages are done, %d have a reason", proven, left)
}

// file is one that a reason names.
var file = regexp.MustCompile(`(integration|linker|supervisor)/\S+\.(go|txt)`)

// TestReasons: what a reason names is there.
func TestReasons(t *testing.T) {
	for hint, reason := range reasons {
		for _, name := range file.FindAllString(reason, -1) {
			if _, err := os.Stat("../../" + name); err != nil {
				t.Errorf("%q: %v", hint, err)
			}
		}
	}
}

func keys[V any](m map[string]V) (list []string) {
	for key := range m {
		list = append(list, key)
	}
	slices.Sort(list)
	return list
}

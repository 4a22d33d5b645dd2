// Package answers holds what a program answers to the mistakes that a test makes on purpose, one by one.
//
// It guarantees that each answer is one line that names the place and what to write instead, and that all answers stand in a file for
// people to read. It knows no program: which mistakes there are comes from the tables of the program itself.
package answers

import (
	"cmp"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// Kind is in which way something is wrong.
type Kind string

// The kinds, as the file has them.
const (
	Spelling Kind = "spelling" // a name that is none
	Type     Kind = "kind"     // a value of another kind: a word where a number belongs
	Place    Kind = "place"    // right elsewhere
	Value    Kind = "value"    // of the right kind, and impossible
)

// Mistake is one, and the answer of the program.
type Mistake struct {
	About  string // the flag, the option, the field or the verb
	Kind   Kind
	Made   string // what somebody has written
	At     string // the place, as the answer has to name it
	Right  string // what the answer has to hold of what would be right; "": any advice will do
	Code   int    // the exit code, one of Codes
	Codes  []int  // which will do; none: 64
	Answer string // all of stderr
	Again  bool   // the same was made elsewhere, and the answer differs in the place alone: the file has it once
}

// advice is how an answer says what to write.
var advice = regexp.MustCompile(`\b(write|did you mean|remove|add|put|mount|set|name|give|end it in|lay it out|leave it out|rename|choose|make|is to be|has to be) `)

// line begins a message. What an example has below it stands further in.
var line = regexp.MustCompile(`(?m)^\S`)

// usage is the exit code of a wrong command line, EX_USAGE of sysexits.h.
const usage = 64

// faults are what is wrong with an answer.
func (m *Mistake) faults() (list []string) {
	lines := len(line.FindAllString(m.Answer, -1))
	codes := m.Codes
	if len(codes) == 0 {
		codes = []int{usage}
	}
	for _, rule := range []struct {
		broken bool
		fault  string
	}{
		{m.Answer == "", "nothing is said"},
		{!slices.Contains(codes, m.Code), fmt.Sprintf("the exit code is %d, not one of %d", m.Code, codes)},
		{lines > 1, fmt.Sprintf("%d lines are said of one mistake", lines)},
		{!strings.Contains(m.Answer, m.At), fmt.Sprintf("the place isn't named: %s", m.At)},
		{!advice.MatchString(m.Answer), "nothing says what to write"},
		{!strings.Contains(m.Answer, m.Right), fmt.Sprintf("it doesn't hold %s", m.Right)},
	} {
		if rule.broken {
			list = append(list, rule.fault)
		}
	}
	return list
}

// Hold holds the rules for each mistake, and the file for all of them. With update it writes the file.
func Hold(t testing.TB, file string, update bool, list []Mistake) {
	t.Helper()
	for _, m := range list {
		for _, fault := range m.faults() {
			t.Errorf("%s: %s: %s: %s:\n%s", m.About, m.Kind, m.Made, fault, m.Answer)
		}
	}
	t.Logf("%d mistakes are made", len(list))
	got := page(list)
	if update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	differs(t, file, string(want), got)
}

// differs shows the first line in which two texts differ.
func differs(t testing.TB, file, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	old, now := strings.Split(want, "\n"), strings.Split(got, "\n")
	for i, line := range now {
		if i >= len(old) || old[i] != line {
			t.Errorf("%s:%d: the program says\n%s\nread it, then run the test with -update", file, i+1, line)
			return
		}
	}
	t.Errorf("%s has more than the program says: run the test with -update", file)
}

// page is the file: what each mistake is about, the mistake, and the answer below.
func page(list []Mistake) string {
	list = slices.Clone(list)
	slices.SortStableFunc(list, func(a, b Mistake) int {
		return cmp.Or(cmp.Compare(a.About, b.About), cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Made, b.Made))
	})
	var text strings.Builder
	about := ""
	for _, m := range list {
		if m.Again {
			continue
		}
		if m.About != about {
			fmt.Fprintf(&text, "\n%s\n", m.About)
			about = m.About
		}
		fmt.Fprintf(&text, "  %-9s %s\n            %s\n", m.Kind, m.Made, strings.ReplaceAll(strings.TrimSuffix(m.Answer, "\n"), "\n", "\n            "))
	}
	return strings.TrimPrefix(text.String(), "\n")
}

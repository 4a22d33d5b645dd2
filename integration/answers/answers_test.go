package answers

import (
	"slices"
	"strings"
	"testing"
)

// right breaks no rule.
var right = Mistake{About: "--a", Kind: Spelling, Made: "x --b", At: "--b", Right: "--a", Code: 64, Answer: "x: no flag --b: did you mean --a?\n"}

// TestFaults: each rule finds what breaks it, and nothing else.
func TestFaults(t *testing.T) {
	for _, c := range []struct {
		spoil func(*Mistake)
		want  string
	}{
		{func(*Mistake) {}, ""},
		{func(m *Mistake) { m.Code, m.Codes = 78, []int{64, 78} }, ""},
		{func(m *Mistake) { m.Code = 0 }, "the exit code is 0"},
		{func(m *Mistake) { m.Answer += "x: and more\n" }, "2 lines are said"},
		{func(m *Mistake) { m.At = "--c" }, "the place isn't named: --c"},
		{func(m *Mistake) { m.Right = "--d" }, "it doesn't hold --d"},
		{func(m *Mistake) { m.Answer = "x: no flag --b, --a\n" }, "nothing says what to write"},
	} {
		m := right
		c.spoil(&m)
		got := strings.Join(m.faults(), "; ")
		if (got == "") != (c.want == "") || !strings.HasPrefix(got, c.want) || strings.Contains(got, "; ") {
			t.Errorf("%+v: faults %q, want %q", m, got, c.want)
		}
	}
	if got := (&Mistake{}).faults(); !slices.Contains(got, "nothing is said") {
		t.Errorf("of silence it finds %q", got)
	}
}

// TestPage: what is about the same stands together, whatever the order in which it was made.
func TestPage(t *testing.T) {
	other := right
	other.About, other.Kind = "--0", Value
	const want = "--0\n  value     x --b\n            x: no flag --b: did you mean --a?\n\n--a\n  spelling  x --b\n            x: no flag --b: did you mean --a?\n"
	for _, list := range [][]Mistake{{right, other}, {other, right}} {
		if got := page(list); got != want {
			t.Errorf("got\n%s", got)
		}
	}
}

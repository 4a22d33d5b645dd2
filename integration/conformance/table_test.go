//go:build conformance

package conformance

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// golden is written by -update.
const golden = "testdata/table.md"

func names() (names []string) {
	for _, p := range programsUnderTest() {
		names = append(names, p.name)
	}
	return names
}

func (tb *table) row(b behaviour) (cells []string) {
	for _, p := range programsUnderTest() {
		cells = append(cells, tb.verdict(b, p))
	}
	return cells
}

func (tb *table) reasons() (lines []string) {
	for _, b := range behaviours() {
		for _, p := range programsUnderTest() {
			if answer := tb.answers[[2]string{b.name, p.name}]; tb.verdict(b, p) == "FAIL" {
				lines = append(lines, fmt.Sprintf("%s, %s: %v", b.name, p.name, answer))
			}
		}
	}
	return lines
}

// text is the table, with what was tried for each row, and the reason of each failure below.
func (tb *table) text() string {
	var out strings.Builder
	fmt.Fprintf(&out, "| behaviour | what is tried | %s |\n|---|---|%s\n", strings.Join(names(), " | "), strings.Repeat("---|", len(names())))
	for _, b := range behaviours() {
		fmt.Fprintf(&out, "| %s | %s | %s |\n", b.name, b.does, strings.Join(tb.row(b), " | "))
	}
	out.WriteString("\nWhy each FAIL is one:\n\n")
	for _, reason := range tb.reasons() {
		fmt.Fprintf(&out, "- %s\n", reason)
	}
	return out.String()
}

func (tb *table) write() error {
	return os.WriteFile(golden, []byte(tb.text()), 0o644)
}

func (tb *table) compare(t *testing.T) {
	text := tb.text()
	if want, err := os.ReadFile(golden); err != nil || text != string(want) {
		t.Errorf("the table isn't %s any more (-update writes it anew): %v\n%s", golden, err, changes(string(want), text))
	}
	if !t.Failed() {
		t.Logf("\n%s", text)
	}
}

// changes are the lines that only one of two texts has.
func changes(before, after string) string {
	var out strings.Builder
	for _, side := range []struct{ sign, own, other string }{{"-", before, after}, {"+", after, before}} {
		for line := range strings.Lines(side.own) {
			if !strings.Contains("\n"+side.other, "\n"+line) {
				out.WriteString(side.sign + line)
			}
		}
	}
	return out.String()
}

//go:build conformance

package conformance

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

const (
	golden   = "testdata/table.txt"
	document = "../../docs/internals/conformance.md"
	// What stands between these in the document is written by -update.
	opening = "<!-- table -->\n"
	closing = "<!-- end of table -->\n"
)

// text is the table for people with a terminal, with the reason of each failure below.
func (tb *table) text() string {
	var out strings.Builder
	row := func(first string, cells []string) {
		out.WriteString(pad(first, 64))
		for _, cell := range cells {
			out.WriteString(pad(cell, 11))
		}
		text := strings.TrimRight(out.String(), " ") + "\n"
		out.Reset()
		out.WriteString(text)
	}
	row("", names())
	for _, b := range behaviours() {
		row(b.name, tb.row(b))
	}
	out.WriteString("\n")
	for _, reason := range tb.reasons() {
		out.WriteString(reason + "\n")
	}
	return out.String()
}

func pad(text string, width int) string {
	return text + strings.Repeat(" ", max(1, width-utf8.RuneCountInString(text)))
}

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

// markdown is the table for the documentation: the same, and what was done for each row.
func (tb *table) markdown() string {
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
	before, after, err := aroundTable()
	if err != nil {
		return err
	}
	return errors.Join(
		os.WriteFile(golden, []byte(tb.text()), 0o644),
		os.WriteFile(document, []byte(before+opening+tb.markdown()+closing+after), 0o644),
	)
}

// aroundTable is what people wrote in the document.
func aroundTable() (before, after string, err error) {
	content, err := os.ReadFile(document)
	if err != nil {
		return "", "", err
	}
	before, rest, found := strings.Cut(string(content), opening)
	_, after, ends := strings.Cut(rest, closing)
	if !found || !ends {
		return "", "", fmt.Errorf("%s has no place for the table", document)
	}
	return before, after, nil
}

func (tb *table) compare(t *testing.T) {
	text := tb.text()
	if want, err := os.ReadFile(golden); err != nil || text != string(want) {
		t.Errorf("the table isn't %s any more (-update writes it anew): %v\n%s", golden, err, changes(string(want), text))
	}
	content, err := os.ReadFile(document)
	if err != nil || !bytes.Contains(content, []byte(opening+tb.markdown()+closing)) {
		t.Errorf("%s holds another table (-update writes it anew): %v", document, err)
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

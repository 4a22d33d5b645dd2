package signals

import (
	"os"
	"slices"
	"strings"
	"testing"

	"confit/integration/markdown"
)

// TestReference: docs/reference.md says of each signal once whether confit
// forwards it.
func TestReference(t *testing.T) {
	page, err := os.ReadFile("../docs/reference.md")
	if err != nil {
		t.Fatal(err)
	}
	said := map[Signal]string{}
	for _, row := range markdown.Rows(markdown.Section(string(page), "## Signals")) {
		for _, sig := range listed(t, row[0]) {
			if said[sig] != "" {
				t.Errorf("the page names %s twice", Name(sig))
			}
			said[sig] = row[1]
		}
	}
	for sig := Signal(1); sig <= rtMax; sig++ {
		want := "no"
		switch {
		case sig == 32 || sig == 33: // the C library's own, nptl(7)
			want = ""
		case slices.Contains(forwarded(), os.Signal(sig)):
			want = "yes"
		}
		if said[sig] != want {
			t.Errorf("%s is forwarded: %q, the page says %q", Name(sig), want, said[sig])
		}
	}
}

// listed reads names with commas between them, or a range.
func listed(t *testing.T, cell string) (list []Signal) {
	t.Helper()
	for name := range strings.SplitSeq(cell, ", ") {
		first, last, _ := strings.Cut(name, " to ")
		from, err := Parse(first)
		if err != nil {
			t.Fatal(err)
		}
		to := from
		if last != "" {
			if to, err = Parse(last); err != nil {
				t.Fatal(err)
			}
		}
		for sig := from; sig <= to; sig++ {
			list = append(list, sig)
		}
	}
	return list
}

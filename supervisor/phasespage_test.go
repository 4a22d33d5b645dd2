package supervisor

import (
	"os"
	"slices"
	"testing"

	"confit/integration/markdown"
)

// TestPhasesOfPage holds that docs/troubleshooting.md has each phase once, and nothing else.
func TestPhasesOfPage(t *testing.T) {
	text, err := os.ReadFile("../docs/troubleshooting.md")
	if err != nil {
		t.Fatal(err)
	}
	var named []string
	for _, item := range markdown.Items(markdown.Section(string(text), "## What confit waits for")) {
		named = append(named, markdown.Spans(item[0])...)
	}
	var want []string
	for p := range done + 1 {
		want = append(want, p.String())
	}
	slices.Sort(named)
	slices.Sort(want)
	if want = slices.Compact(want); !slices.Equal(named, want) { // what is published is validated in a phase of its own
		t.Errorf("the page has\n%q, the program has\n%q", named, want)
	}
}

package checks

import (
	"strings"
	"testing"
)

// mostWords is how many words a page may have, as wc -w counts them.
var mostWords = map[string]int{
	"CHANGELOG.md":    250, // until 0.1.0 is released
	"HACKING.md":      1_660,
	"README.md":       1_230,
	"docs/README.md":  260,
	"docs/fleet.md":   1_900,
	"docs/kubectl.md": 2_620,

	"docs/failures.md":        1_510,
	"docs/reference.md":       4_450,
	"docs/status.md":          1_785,
	"docs/troubleshooting.md": 2_900,
	"docs/confitctl.md":       640,
	"docs/daemons.md":         3_820,
	"docs/gate.md":            730,
	"docs/inject.md":          1_180,
	"docs/kubernetes.md":      2_230,
	"docs/operations.md":      930,
	"docs/recipes.md":         1_150,
	"docs/security.md":        1_010,

	"docs/internals/conformance.md":  530,
	"docs/internals/decisions.md":    4_860,
	"docs/internals/dependencies.md": 380,
	"docs/internals/design.md":       2_890,
	"docs/internals/measurements.md": 900,
}

// How many words those for users may have together, and those for contributors.
const (
	mostForUsers        = 30_220
	mostForContributors = 9_540
)

// TestWordsAreFew holds these bounds: who looks for a fact reads one page.
func TestWordsAreFew(t *testing.T) {
	t.Chdir(root)
	users, contributors, limited := 0, 0, 0
	for _, page := range pages(t) {
		words := len(strings.Fields(read(t, page)))
		if most, found := mostWords[page]; found {
			limited++
			if words > most {
				t.Errorf("%s has %d words, %d are enough", page, words, most)
			}
		}
		switch {
		case strings.HasPrefix(page, "docs/internals/"):
			contributors += words
		case strings.HasPrefix(page, "docs/"), page == "README.md":
			users += words
		}
	}
	if limited != len(mostWords) {
		t.Errorf("of %d bounds only %d are of a page that is there", len(mostWords), limited)
	}
	if users > mostForUsers || contributors > mostForContributors {
		t.Errorf("users have %d words to read, contributors %d; %d and %d are enough", users, contributors, mostForUsers, mostForContributors)
	}
}

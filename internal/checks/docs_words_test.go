package checks

import (
	"strings"
	"testing"
)

// mostWords is how many words a page may have, as wc -w counts them.
var mostWords = map[string]int{
	"CHANGELOG.md":    240, // until 0.1.0 is released
	"HACKING.md":      840,
	"README.md":       1_170,
	"docs/README.md":  260,
	"docs/fleet.md":   1_610,
	"docs/kubectl.md": 2_320,

	"docs/failures.md":        1_510,
	"docs/reference.md":       4_170,
	"docs/status.md":          1_610,
	"docs/troubleshooting.md": 2_420,
	"docs/confitctl.md":       530,
	"docs/daemons.md":         3_650,
	"docs/gate.md":            680,
	"docs/inject.md":          1_060,
	"docs/kubernetes.md":      1_500,
	"docs/operations.md":      800,
	"docs/recipes.md":         950,
	"docs/security.md":        940,

	"docs/internals/conformance.md":  480,
	"docs/internals/decisions.md":    3_790,
	"docs/internals/dependencies.md": 370,
	"docs/internals/design.md":       2_380,
	"docs/internals/measurements.md": 980,
}

// How many words those for users may have together, those for contributors, and both with the pages that GitHub shows:
// HACKING, CONTRIBUTING and SECURITY.
const (
	mostForUsers        = 28_120
	mostForContributors = 7_690
	mostTogether        = 37_500
)

// TestWordsAreFew holds these bounds: who looks for a fact reads one page.
func TestWordsAreFew(t *testing.T) {
	t.Chdir(root)
	users, contributors, together, limited := 0, 0, 0, 0
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
		case page == "HACKING.md", page == "CONTRIBUTING.md", page == "SECURITY.md":
			together += words
		}
	}
	together += users + contributors
	if limited != len(mostWords) {
		t.Errorf("of %d bounds only %d are of a page that is there", len(mostWords), limited)
	}
	if users > mostForUsers || contributors > mostForContributors || together > mostTogether {
		t.Errorf("users have %d words to read, contributors %d, all pages %d; %d, %d and %d are enough",
			users, contributors, together, mostForUsers, mostForContributors, mostTogether)
	}
}

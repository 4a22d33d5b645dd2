// Package near finds what somebody meant by a misspelt name.
package near

import "strings"

// maxSlips is how many letters of a name may be wrong, but never half of them.
const maxSlips = 2

// Of is the choice that somebody most likely meant by a name, or "".
func Of(name string, choices []string) (best string) {
	fewest := min(maxSlips, len(name)/2) + 1
	for _, c := range choices {
		if n := slips(strings.ToLower(name), strings.ToLower(c), fewest-1); n < fewest {
			best, fewest = c, n
		}
	}
	return best
}

// slips is how many letters have to be inserted, deleted, replaced, or exchanged with the next one
// to turn one word into the other: more than most, if these don't do.
func slips(a, b string, most int) int {
	switch {
	case a == "" || b == "":
		return len(a) + len(b)
	case a[0] == b[0]:
		return slips(a[1:], b[1:], most)
	case most <= 0:
		return most + 1
	}
	n := min(slips(a[1:], b[1:], most-1), slips(a[1:], b, most-1), slips(a, b[1:], most-1))
	if len(a) > 1 && len(b) > 1 && a[0] == b[1] && a[1] == b[0] {
		n = min(n, slips(a[2:], b[2:], most-1))
	}
	return n + 1
}

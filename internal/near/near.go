// Package near finds what somebody meant by a misspelt name.
package near

import "strings"

// maxSlips is how many letters of a name may be wrong, but never half of them.
const maxSlips = 2

// Of is the choice that somebody most likely meant by a name, or "".
func Of(name string, choices []string) string {
	best, shortest := "", min(maxSlips, len(name)/2)+1
	for _, c := range choices {
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < shortest {
			best, shortest = c, d
		}
	}
	return best
}

// distance is how many letters have to be inserted, deleted or replaced to turn
// one word into the other: Levenshtein's, row by row.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		diagonal := row[0]
		row[0] = i
		for j := 1; j <= len(b); j++ {
			replace := diagonal
			if a[i-1] != b[j-1] {
				replace++
			}
			diagonal = row[j]
			row[j] = min(replace, row[j]+1, row[j-1]+1)
		}
	}
	return row[len(b)]
}

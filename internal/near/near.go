// Package near finds what somebody meant by a misspelt name.
package near

import "strings"

// maxSlips is how many letters of a name may be wrong, but never half of them.
const maxSlips = 2

// Of is the choice that somebody most likely meant by a name, or "".
func Of(name string, choices []string) string {
	best, shortest := "", min(maxSlips, len(name)/2)+1
	for _, c := range choices {
		if max(len(c)-len(name), len(name)-len(c)) >= shortest {
			continue
		}
		if d := distance(strings.ToLower(name), strings.ToLower(c)); d < shortest {
			best, shortest = c, d
		}
	}
	return best
}

// distance is how many letters have to be inserted, deleted, replaced, or exchanged with
// the next one to turn one word into the other: Levenshtein's and Damerau's.
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			d := rows[i-1][j-1]
			if a[i-1] != b[j-1] {
				d++
			}
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = min(d, rows[i-1][j]+1, rows[i][j-1]+1)
		}
	}
	return rows[len(a)][len(b)]
}

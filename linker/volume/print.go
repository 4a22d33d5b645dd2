package volume

import (
	"strings"

	"confit/linker/files"
)

// Fingerprint is what the volumes looked like, cheap to compare; "": nobody knows. It has a line
// for each volume and for each key of a plain one, below a line with the number of volumes.
type Fingerprint string

// Beside lists, for people, the first lines that another print doesn't have.
func (p Fingerprint) Beside(other Fingerprint) (list []string) {
	known := map[string]bool{"": true}
	for _, line := range strings.Split(string(other), "\n") {
		known[line] = true
	}
	for _, line := range strings.Split(string(p), "\n")[1:] {
		if !known[line] && len(list) < files.MaxProblems {
			list = append(list, line)
		}
	}
	return list
}

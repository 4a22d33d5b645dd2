package supervisor

import (
	"fmt"

	"confit/linker"
)

// maxNamedKeys bounds how many keys a log line names.
const maxNamedKeys = 20

// named are the keys that a log line names: the first ones, and how many more.
func named(changes []linker.Change) []string {
	var names []string
	for i, c := range changes {
		if i == maxNamedKeys {
			return append(names, fmt.Sprintf("and %d more", len(changes)-i))
		}
		names = append(names, string(c.Key))
	}
	return names
}

// Package checks holds what is true of the whole repository: which package may import which, how large files and functions are, that the pages
// fit the program, and that all messages are listed. Architecture, imports, circles, size and writers are about the code; docs, hacking,
// pages, examples, reference and messages about what people read; workflows about what CI runs.
package checks

import (
	"fmt"
	"os"
	"testing"
)

// root is the repository. The tests name all files as seen from there.
const root = "../.."

func TestMain(m *testing.M) {
	if err := os.Chdir(root); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(m.Run())
}

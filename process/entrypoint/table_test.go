package entrypoint

import (
	"os"
	"strings"
	"testing"
)

// row is a text of the table, and what is true of it.
type row struct {
	title, text string
	how         How
	executes    bool
}

// table reads testdata/scripts.txt. A test of kubectl-confit has it, too.
func table(t *testing.T) (rows []row) {
	t.Helper()
	bytes, err := os.ReadFile("testdata/scripts.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range strings.Split(strings.TrimSuffix(string(bytes), "\n"), "\n\n=== ")[2:] {
		head, text, _ := strings.Cut(block, "\n")
		fields := strings.SplitN(head, " | ", 3)
		shell, _, _ := strings.Cut(strings.Fields(fields[1])[0], ",")
		how := How{shell, strings.Contains(fields[1], "-c"), !strings.Contains(fields[1], "no arguments")}
		rows = append(rows, row{fields[1] + ": " + fields[2], text, how, fields[0] == "yes"})
	}
	return rows
}

// TestRead holds the table.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, r := range table(t) {
		if got := Read(r.text, r.how).Executes; got != r.executes {
			t.Errorf("%s: %v\n%s", r.title, got, r.text)
		}
	}
}

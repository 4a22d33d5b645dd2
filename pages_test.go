package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confit/config"
	"confit/integration/markdown"
)

// TestLinksFilesOfPages holds that each block of a page that begins with # links
// is a links file.
func TestLinksFilesOfPages(t *testing.T) {
	for _, page := range pages(t) {
		for _, block := range markdown.Blocks(read(t, page)) {
			if strings.HasPrefix(block.Text, "# links\n") {
				checkLinksFile(t, page, block.Text)
			}
		}
	}
}

// TestLinesOfDaemons holds that the lines of the table are lines of a links file.
func TestLinesOfDaemons(t *testing.T) {
	const page = "docs/daemons.md"
	rows := markdown.Rows(read(t, page))
	for _, row := range rows {
		checkLinksFile(t, page, strings.Join(markdown.Spans(row[1]), "\n"))
	}
	if len(rows) < 60 {
		t.Errorf("%s has %d daemons", page, len(rows))
	}
}

// TestRowsOfStarts holds that each row of the table of what is served after a start names a test that there is.
func TestRowsOfStarts(t *testing.T) {
	const page = "docs/failures.md"
	var source strings.Builder
	files, _ := filepath.Glob("integration/*_test.go")
	for _, file := range files {
		source.WriteString(read(t, file))
	}
	rows := markdown.Rows(markdown.Section(read(t, page), "## After a restart, a reboot, and in a new pod"))
	for _, row := range rows {
		held := markdown.Spans(row[len(row)-1])
		for _, name := range held {
			test, part, _ := strings.Cut(name, "/")
			if !strings.Contains(source.String(), "func "+test+"(t *testing.T)") || part != "" && !strings.Contains(source.String(), `"`+part+`"`) {
				t.Errorf("%s: no test is named %s", page, name)
			}
		}
		if len(held) == 0 {
			t.Errorf("%s: no test holds the row %q", page, row)
		}
	}
	if len(rows) < 20 {
		t.Errorf("%s has %d rows", page, len(rows))
	}
}

func checkLinksFile(t *testing.T, page, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "links")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse([]string{"confit", "--links", file, "--check"}, nil)
	if err != nil {
		t.Errorf("%s: %v in\n%s", page, err, text)
	}
	for _, command := range [][]string{c.Reload.Command, c.Render, c.Validate, c.Gate, c.Report, c.Verify} {
		if len(command) > 0 && strings.Contains(command[0], " ") {
			t.Errorf("%s: no program is named %q in\n%s", page, command[0], text)
		}
	}
}

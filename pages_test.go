package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confit/config"
	"confit/internal/markdown"
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

package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"confit/config"
)

// TestLinksFilesOfPages holds that each block of a page that begins with # links
// is a links file.
func TestLinksFilesOfPages(t *testing.T) {
	for _, page := range pages(t) {
		for _, block := range strings.Split(read(t, page), "```\n# links\n")[1:] {
			text, _, _ := strings.Cut(block, "```")
			checkLinksFile(t, page, text)
		}
	}
}

// TestLinesOfDaemons holds that the lines of the table are lines of a links file.
func TestLinesOfDaemons(t *testing.T) {
	const page = "docs/daemons.md"
	span, rows := regexp.MustCompile("`([^`]+)`"), 0
	_, table, _ := strings.Cut(read(t, page), "## The table")
	for line := range strings.Lines(table) {
		cells := strings.Split(line, "|")
		if len(cells) < 5 || strings.HasPrefix(cells[1], "-") || cells[1] == " daemon " {
			continue
		}
		rows++
		var text strings.Builder
		for _, match := range span.FindAllStringSubmatch(cells[2], -1) {
			text.WriteString(match[1] + "\n")
		}
		checkLinksFile(t, page, text.String())
	}
	if rows < 30 {
		t.Errorf("%s has %d daemons", page, rows)
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

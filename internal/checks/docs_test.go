package checks

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"confit/integration/markdown"
)

// indexes list all pages: those for users and for contributors, and the examples.
var indexes = []string{"docs/README.md", "examples/README.md"}

// link is a Markdown link or image: what stands in its parentheses.
var link = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// TestLinksLead holds that each relative link of a page leads to a file, and
// to a heading of it when it names one.
func TestLinksLead(t *testing.T) {
	t.Chdir(root)
	for _, page := range pages(t) {
		for _, target := range links(t, page) {
			file, heading, _ := strings.Cut(target, "#")
			if file = filepath.Join(filepath.Dir(page), file); strings.HasPrefix(target, "#") {
				file = page
			}
			if _, err := os.Stat(file); err != nil {
				t.Errorf("%s: cannot follow %q: %v", page, target, err)
			} else if heading != "" && !hasHeading(t, file, heading) {
				t.Errorf("%s: cannot follow %q: %s has no such heading", page, target, file)
			}
		}
	}
}

// TestNamedFilesExist holds that a source file which a page names is there.
func TestNamedFilesExist(t *testing.T) {
	t.Chdir(root)
	source := regexp.MustCompile("`((\\w+/)+\\w+\\.(go|s|sh|txt))`")
	for _, page := range pages(t) {
		for _, match := range source.FindAllStringSubmatch(read(t, page), -1) {
			if _, err := os.Stat(match[1]); err != nil && !strings.HasPrefix(match[1], "runtime/") {
				t.Errorf("%s names %s: %v", page, match[1], err)
			}
		}
	}
}

// TestIndexComplete holds that the indexes lead to every page.
func TestIndexComplete(t *testing.T) {
	t.Chdir(root)
	listed := map[string]bool{indexes[0]: true}
	for _, index := range indexes {
		for _, target := range links(t, index) {
			listed[filepath.Join(filepath.Dir(index), target)] = true
		}
	}
	for _, page := range pages(t) {
		if !listed[page] {
			t.Errorf("no index lists %s: %q", page, indexes)
		}
	}
}

// lookedUp are pages that are too long to be read: each has an index above its first heading
// that leads to all headings of a level.
var lookedUp = map[string]string{"docs/troubleshooting.md": "## ", "docs/reference.md": "## ", "docs/daemons.md": "## "}

// TestLookedUpPagesHaveAnIndex holds that such an index is whole. That its links lead
// somewhere is for TestLinksLead.
func TestLookedUpPagesHaveAnIndex(t *testing.T) {
	t.Chdir(root)
	for page, level := range lookedUp {
		top, rest, _ := strings.Cut(markdown.Prose(read(t, page)), "\n## ")
		for line := range strings.Lines("\n## " + rest) {
			if heading, found := strings.CutPrefix(line, level); found && !strings.Contains(top, "(#"+anchorOf(heading)+")") {
				t.Errorf("the index of %s doesn't lead to %q", page, heading)
			}
		}
	}
}

func pages(t *testing.T) []string {
	list, err := markdown.Pages(".")
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// links are the relative ones of a page.
func links(t *testing.T, page string) []string {
	var list []string
	for _, match := range link.FindAllStringSubmatch(read(t, page), -1) {
		if !strings.Contains(match[1], "://") {
			list = append(list, match[1])
		}
	}
	return list
}

// hasHeading reports whether a heading has this anchor.
func hasHeading(t *testing.T, page, anchor string) bool {
	for line := range strings.Lines(read(t, page)) {
		if text := strings.TrimLeft(line, "#"); text != line && anchorOf(text) == anchor {
			return true
		}
	}
	return false
}

// anchorOf is a heading's anchor, as GitHub makes it: lower case, spaces become dashes,
// punctuation goes.
func anchorOf(heading string) string {
	punctuation := regexp.MustCompile(`[^\p{L}\p{N}_ -]`)
	text := punctuation.ReplaceAllString(strings.ToLower(strings.TrimSpace(heading)), "")
	return strings.ReplaceAll(text, " ", "-")
}

// readmeLines is how long the README may be: a stranger reads it in a minute.
const readmeLines = 180

func TestReadmeShort(t *testing.T) {
	t.Chdir(root)
	if lines := strings.Count(read(t, "README.md"), "\n"); lines > readmeLines {
		t.Errorf("README.md has %d lines, %d are enough", lines, readmeLines)
	}
}

func read(t *testing.T, file string) string {
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

package checks

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestWayIsThere: the way that HACKING.md shows through the packages leads along
// files that exist. A name without a folder lies beside the one before it.
func TestWayIsThere(t *testing.T) {
	t.Chdir(root)
	text, err := os.ReadFile("HACKING.md")
	if err != nil {
		t.Fatal(err)
	}
	_, way, _ := strings.Cut(string(text), "\n## Find your way\n")
	way, _, _ = strings.Cut(way, "\n## ")
	files := regexp.MustCompile("`([a-z0-9_/]+\\.go)`").FindAllStringSubmatch(way, -1)
	if len(files) == 0 {
		t.Error("HACKING.md shows no way")
	}
	folder := "."
	for _, m := range files {
		if strings.Contains(m[1], "/") {
			folder = "."
		}
		path := filepath.Join(folder, m[1])
		if _, err := os.Stat(path); err != nil {
			t.Errorf("HACKING.md leads to %s: %v", path, err)
		}
		folder = filepath.Dir(path)
	}
}

// TestIntegrationIsListed holds that integration/doc.go says of each folder beside it what is in it, and of no other.
func TestIntegrationIsListed(t *testing.T) {
	t.Chdir(root)
	var listed, there []string
	for _, m := range regexp.MustCompile(`(?m)^//\t(\w+) `).FindAllStringSubmatch(read(t, "integration/doc.go"), -1) {
		listed = append(listed, m[1])
	}
	entries, err := os.ReadDir("integration")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		if entry.IsDir() {
			there = append(there, entry.Name())
		}
	}
	slices.Sort(listed)
	if !slices.Equal(listed, there) {
		t.Errorf("integration/doc.go lists %v, want %v", listed, there)
	}
}

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestPageIsShown holds that make e2e has a scene for each section of the page that has code in it.
func TestPageIsShown(t *testing.T) {
	p, err := readPages("../..")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.covered(); err != nil {
		t.Error(err)
	}
	for _, s := range scenes {
		if s.section != "" && len(p.section(s.section).blocks) == 0 {
			t.Errorf("scene %s shows section %q, which has no code", s.name, s.section)
		}
	}
}

// TestPageBlocks holds that a block is taken in its turn, as what it is, and missed when nobody takes it.
func TestPageBlocks(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.md")
	text := "# Title\n\n## One\n\n```yaml\na: 1\n\nb: 2\n```\n\nWords.\n\n```\n# links\nlink a /b\n```\n\n## Two\n\nNothing.\n"
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := readPage(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.covered(); err == nil || !strings.Contains(err.Error(), `"One"`) {
		t.Errorf("nobody misses the scene of a section: %v", err)
	}
	one := p.section("One")
	if _, err := one.next("links"); err == nil {
		t.Error("a manifest is taken for a links file")
	}
	if got, err := one.next("yaml"); err != nil || got != "a: 1\n\nb: 2\n" {
		t.Errorf("the manifest is %q, %v", got, err)
	}
	if err := one.done(); err == nil {
		t.Error("nobody misses the links file")
	}
	if got, err := one.next("links"); err != nil || got != "# links\nlink a /b\n" {
		t.Errorf("the links file is %q, %v", got, err)
	}
	if err := one.done(); err != nil {
		t.Error(err)
	}
}

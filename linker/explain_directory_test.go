package linker

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// aLink is what is noted of a target below etc that is one link to a whole directory.
func aLink(target string) string {
	return strings.ReplaceAll(`note: target "DIR/etc/TARGET" becomes a link itself: find and Go's WalkDir don't enter it, and no app keeps files there; `+
		`"DIR/etc/TARGET/" is a directory with a link for each key`+"\n", "TARGET", target)
}

// TestExplainDirectory: of two lines for a directory the one without a slash is named, and it is the one that nobody walks.
func TestExplainDirectory(t *testing.T) {
	h := newHouse(t, "web/ tree/", "web/ whole")
	h.write("web", "a", "1", "sub/b", "1")
	if plan, _ := h.explain(); !strings.HasSuffix(plan, "\n"+aLink("whole")) || strings.Count(plan, "note: ") != 1 {
		t.Errorf("the plan is\n%s", plan)
	}
	h.open().adopt()
	for target, want := range map[string]int{"tree": 2, "whole": 0} {
		found := 0
		h.must(filepath.WalkDir(h.path("etc", target), func(path string, _ fs.DirEntry, err error) error {
			if info, failed := os.Stat(path); failed == nil && info.Mode().IsRegular() {
				found++
			}
			return err
		}))
		if found != want {
			t.Errorf("%s: %d files are found, want %d", target, found, want)
		}
	}
}

package linker

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// aLink is what is noted of a target below etc that is one link to a whole directory.
func aLink(target string) string {
	return strings.ReplaceAll(`note: target "DIR/etc/TARGET" becomes a link itself: find and Go's WalkDir don't enter it, and no app keeps files there; `+
		`"DIR/etc/TARGET/" is a directory with a link for each key`+"\n", "TARGET", target)
}

// TestExplainDirectory: of two lines for a directory the one without a slash is named, and it is the one that nobody walks.
func TestExplainDirectory(t *testing.T) {
	h := newFixture(t, "web/ tree/", "web/ whole")
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

// TestExplainNewDirectory: a directory that a start will make may be misspelt.
func TestExplainNewDirectory(t *testing.T) {
	h := newFixture(t, "web/a ngnix/a", "web/b ngnix/b", "web/c c", "web/*.d new/", "tls/ tls/", "input web/a")
	const notes = `note: directory "DIR/etc/ngnix" isn't there: a start makes it
note: directory "DIR/etc/new" isn't there: a start makes it
`
	if plan, wrong := h.explain(); !strings.HasSuffix(plan, notes) || strings.Contains(plan, "etc/tls\"") || wrong != "" {
		t.Errorf("says %s%s", plan, wrong)
	}
	h.must(os.Mkdir(h.path("etc", "ngnix"), 0o755))
	h.must(os.Mkdir(h.path("etc", "new"), 0o755))
	if plan, _ := h.explain(); strings.Contains(plan, "isn't there") {
		t.Errorf("says %s", plan)
	}
}

// TestExplainKubelets: a volume of keys that was left at a target's directory, or is named as the state directory, has no place for
// anything else. Another volume there would hide it.
func TestExplainKubelets(t *testing.T) {
	h := newFixture(t, "web/a old/a")
	h.write("web", "a", "1")
	h.must(os.MkdirAll(h.path("etc", "old"), 0o755))
	h.must(os.Symlink("..1", h.path("etc", "old", "..data")))
	ownMounts(t)
	old := h.path("etc", "old")
	h.must(unix.Mount(old, old, "", unix.MS_BIND, ""))
	t.Cleanup(func() { _ = unix.Unmount(old, unix.MNT_DETACH) })
	h.must(unix.Mount("", old, "", unix.MS_BIND|unix.MS_REMOUNT|unix.MS_RDONLY, ""))
	const where = `cannot link targets in "DIR/etc/old": read-only file system` + "\n" + `"DIR/etc/old" is a ConfigMap or Secret volume itself: remove that mount`
	if plan, _ := h.explain(); !strings.Contains(plan, where) || strings.Contains(plan, "emptyDir") {
		t.Errorf("of a target: %s", plan)
	}
	h.config.State = old
	const state = `cannot use state directory "DIR/etc/old": it is a ConfigMap or Secret volume; name another directory with --state`
	h.config.Links = h.config.Links[:0]
	var out strings.Builder
	err := Explain(&out, h.config)
	if said := strings.ReplaceAll(out.String(), h.dir, "DIR"); !strings.Contains(said, state) || strings.Contains(said, "emptyDir") {
		t.Errorf("of the state directory: %s%v", said, err)
	}
}

package config

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestLockedLinksFile: what confit's user may not read says how a pod lets it. That nothing is
// there isn't what is wrong.
func TestLockedLinksFile(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	for locked, named := range map[string]string{"d/links": "d/links", "d": "d", ".": "d/links"} {
		dir := t.TempDir()
		writeFile(t, filepath.Join(dir, "d/links"), oneLink)
		try(t, os.Chmod(filepath.Dir(dir), 0o755), os.Chmod(filepath.Join(dir, locked), 0))
		said := make(chan string)
		go func() {
			runtime.LockOSThread() // for good: the thread ends with this goroutine
			_ = unix.Setfsuid(65534)
			_, err := parse(t, filepath.Join(dir, named), nil, "--", "app")
			said <- errorText(err)
		}()
		if got := <-said; !strings.Contains(got, "permission denied; let user ") || strings.Contains(got, "write one there") {
			t.Errorf("%s can't be read: %s", locked, got)
		}
	}
}

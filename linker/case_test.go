package linker

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
)

// TestNoCase: on a state directory that tells no case, of two keys that differ in it only the second is named. The kernel of the test tells
// it, so it is made to say what such a one says.
func TestNoCase(t *testing.T) {
	h := newFixture(t, "web/ web/")
	h.write("web", "X.conf", "1", "x.conf", "2")
	h.open()
	var err error
	testfs.Failing(t, func(call testfs.Call) syscall.Errno {
		if call.Name == "openat" && filepath.Base(call.Path) == "x.conf" && strings.Contains(call.Path, "generations/") {
			return unix.EEXIST
		}
		return 0
	}, func() { _, err = h.tryStage() })
	if err == nil || !strings.Contains(err.Error(), `key "web/x.conf": file exists: another key's name differs in case only`) {
		t.Errorf("error %v", err)
	}
}

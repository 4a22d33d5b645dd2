package target

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
)

// TestNoCase: where a file system tells no case, the name that has a target's place is named. The kernel of the test tells it, so it is
// made to say what such a one says.
func TestNoCase(t *testing.T) {
	m := newMoment(t, t.TempDir())
	m.must(os.Symlink("elsewhere", filepath.Join(m.dir, "etc/A")))
	step := m.plan(true, link)
	var err error
	testfs.Refusing(t, unix.EEXIST, unix.SYS_RENAMEAT2, func() { err = m.targets.do(step) })
	if err == nil || !strings.Contains(err.Error(), `called "A", and this file system tells no case`) {
		t.Errorf("error %v", err)
	}
}

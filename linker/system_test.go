package linker

import (
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
)

// TestStateWithoutModes: where no mode is kept, others could read the copy of a Secret. The state directory is named at the start, and no
// hook is blamed later. A kernel of which fchmod(2) does nothing stands for vfat.
func TestStateWithoutModes(t *testing.T) {
	h := newFixture(t)
	h.must(os.Mkdir(h.path("state"), 0o755))
	h.must(os.WriteFile(h.path("state/lock"), nil, 0o755))
	var err error
	testfs.Refusing(t, 0, unix.SYS_FCHMOD, func() { _, _, err = Open(h.checked()) })
	if err == nil || !strings.Contains(err.Error(), `cannot use state directory "`+h.path("state")+`": its file system keeps no modes`) {
		t.Errorf("error %v", err)
	}
	h.open() // where modes are kept; nobody has the lock
}

// TestStateOnNetwork: it works there, with a warning.
func TestStateOnNetwork(t *testing.T) {
	h := newFixture(t)
	testfs.Appearing(t, unix.NFS_SUPER_MAGIC, func() {
		l, _, err := Open(h.checked())
		h.must(err)
		l.state.Close()
	})
	if said := h.said.String(); !strings.Contains(said, "level=WARN") || !strings.Contains(said, "is on a network") {
		t.Errorf("it says %s", said)
	}
}

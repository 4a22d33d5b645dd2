package linker

import (
	"errors"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/testfs"
)

// TestRendered_unlooked: whichever look at what the renderer made fails, confit says so, and the next try takes it up.
func TestRendered_unlooked(t *testing.T) {
	errnos := []syscall.Errno{unix.EIO, unix.ENOENT, unix.ESTALE}
	if testing.Short() {
		errnos = errnos[:1]
	}
	for _, errno := range errnos {
		n := 1
		for unlooked(t, errno, n) {
			n++
		}
		t.Logf("%v: %d calls", errno, n-1)
	}
}

// unlooked has the nth call fail, and reports whether there were so many.
func unlooked(t *testing.T, errno syscall.Errno, n int) bool {
	t.Helper()
	h := renderer(t, "input web/tpl", "{rendered}/app.conf app.conf")
	h.write("web", "tpl", "t1")
	h.open()
	c := h.stage()
	h.render(c, "app.conf", "r1")
	var err error
	seen := 0
	testfs.Failing(t, func(call testfs.Call) syscall.Errno {
		if strings.HasPrefix(call.Path, c.Dir) {
			if seen++; seen == n {
				return errno
			}
		}
		return 0
	}, func() { _, err = h.linker.Complete(h.candidate.Number, h.note.Ladder.InForce().Number) })
	if err != nil && !errors.Is(err, errno) && !IsInvalid(err) {
		t.Errorf("call %d of %d: %v", n, seen, err)
	}
	h.seen = ""
	h.renders("app.conf", "r1")
	h.reads("app.conf", "r1")
	return seen >= n
}

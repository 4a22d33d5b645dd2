package confit

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// swapShut swaps to a key that only root may read. open lets everybody read it, as a kubelet does that gives files to the pod's group after
// the swap.
func (v *volume) swapShut(name, data string) (open func()) {
	v.t.Helper()
	v.swapRaw(keys{name: data}, func(dir string) error { return os.Chmod(filepath.Join(dir, name), 0o400) })
	return func() {
		if err := os.Chmod(filepath.Join(v.dir, "..data", name), 0o444); err != nil {
			v.t.Error(err)
		}
	}
}

// newShut is a confit that isn't root, and its volume.
func newShut(t *testing.T, retry string) (*confit, *volume) {
	t.Helper()
	s, web := newReload(t, "signal:HUP")
	s.runAs(nobody)
	s.flag("--retry", retry)
	s.box.Mounts = []harness.Mount{harness.StrictAtime(web.dir)}
	c := s.start(app("-print", s.target("a"))...)
	c.accepts(1)
	c.Says("ready", 1)
	return c, web
}

// A key that may be read a moment after the swap is taken, and nothing is refused.
func TestSwap_right_comes_late(t *testing.T) {
	t.Parallel()
	c, web := newShut(t, "1h")
	open := web.swapShut("a", "second")
	before := web.lookTime()
	c.Eventually("a look", func() bool { return web.lookTime().After(before) })
	open()
	c.accepts(2)
	c.Says("read second", 1)
	c.wantLogged("candidate rejected", 0)
}

// One that may not be read is refused, once, and is taken by a retry when it may.
func TestSwap_right_never_comes(t *testing.T) {
	t.Parallel()
	c, web := newShut(t, "100ms")
	open := web.swapShut("a", "second")
	c.wantRejected("stage", 1)
	if e := c.logs("candidate rejected", 1); !strings.Contains(e["reason"], "permission denied; let user") {
		t.Errorf("rejected by %v", e)
	}
	open()
	c.accepts(2)
	c.Says("read second", 1)
}

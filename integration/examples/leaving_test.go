//go:build check

package examples

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/volume"
)

// ofClaim is a pod that links a key over a file on a volume claim, once it has ended.
func ofClaim(t *testing.T) (c *container, target string) {
	t.Helper()
	claim := t.TempDir()
	target = filepath.Join(claim, "text")
	must(t, os.WriteFile(target, []byte("mine"), 0o644))
	c = pod{
		configMaps: map[string]volume.Payload{"web": volume.Strings("text", first)}, app: []string{"sleep", "infinity"},
		base: func(c *container) { c.mount(claim, "data", "", unix.MS_BIND, "") },
	}.start(t, "link web/text /data/text\n")
	if _, err := os.Readlink(target); err != nil {
		t.Fatal(err)
	}
	c.Signal(unix.SIGTERM)
	c.Ends(128 + int(unix.SIGTERM))
	return c, target
}

func leaves(t *testing.T, links string) {
	c, target := ofClaim(t)
	c.write("/etc/confit/links", links)
	c.start()
	c.logs(1, `msg="app started"`)
	c.Eventually("the file is back", func() bool { return readFile(t, target) == "mine" })
}

func leavesWithoutState(t *testing.T, block string) {
	c, target := ofClaim(t)
	c.command(0, nil, "/bin/sh", "-euc", block).Ends(0)
	if _, err := os.Lstat(target); !os.IsNotExist(err) {
		t.Errorf("the link is still there (%v)", err)
	}
	if kept := readFile(t, filepath.Join(filepath.Dir(target), ".confit-kept-text")); kept != "mine" {
		t.Errorf("kept is %q", kept)
	}
}

package linker

import (
	"errors"
	"os"
	"testing"
)

// TestOwns: an app's working directory is in a generation by whichever path the
// state directory is known.
func TestOwns(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.must(errors.Join(os.Mkdir(h.path("real"), 0o755), os.Symlink("real", h.path("state"))))
	h.write("web", "a", "a")
	h.open()
	dir := h.adopt().Dir
	for path, want := range map[string]bool{
		dir: true, dir + "/web": true, h.path("real/generations/1/web (deleted)"): true, h.path("state/live/web"): true,
		h.path("state"): false, h.path("real/generations"): false, h.path("real/generationsX"): false, h.path("etc"): false, "/": false, "": false,
	} {
		if h.linker.Owns(path) != want {
			t.Errorf("%q: %v", path, !want)
		}
	}
}

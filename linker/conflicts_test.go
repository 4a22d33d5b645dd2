package linker

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestCheckFollowsLinks holds that a target isn't taken for another place than
// it is: /var/run is /run on most systems.
func TestCheckFollowsLinks(t *testing.T) {
	h := newFixture(t, "web/a x")
	h.must(os.MkdirAll(h.path("state"), 0o755))
	h.must(os.Symlink("state", h.path("alias")))
	h.config.Links[0].Target = Target(h.path("alias/x"))
	if _, err := Check(h.config); err == nil || !strings.Contains(err.Error(), "inside the state directory") {
		t.Errorf("a target in the state directory by another name: %v", err)
	}
}

// TestCheckFollowsTheTargetDirectory is the same for a directory of targets that
// is a link itself.
func TestCheckFollowsTheTargetDirectory(t *testing.T) {
	for _, source := range []string{"web/", "web/*"} {
		h := newFixture(t, source+" x/")
		h.must(os.MkdirAll(h.path("state"), 0o755))
		h.must(os.MkdirAll(h.path("etc"), 0o755))
		h.must(os.Symlink("../state", h.path("etc/x")))
		if _, err := Check(h.config); err == nil || !strings.Contains(err.Error(), "inside the state directory") {
			t.Errorf("%s: a directory of targets that leads into the state directory: %v", source, err)
		}
	}
}

// TestDynamicTargets refuses what only the volume shows: two keys for one
// target.
func TestDynamicTargets(t *testing.T) {
	h := newFixture(t, "web/* x/", "tls/ x/")
	h.write("web", "same", "1")
	h.write("tls", "same", "2", "other", "3")
	h.open()
	h.invalid(`target "`+h.path("etc/x/same")+`" has a link already`, `key "tls/same"`)
}

// TestOneTargetByTwoPaths: through a symlinked directory two links are one, or
// one is inside the other, and both lines are named.
func TestOneTargetByTwoPaths(t *testing.T) {
	for name, tt := range map[string]struct {
		links []string
		words string
	}{
		"one key each":    {[]string{"web/a alias/x", "web/b real/x"}, `target "DIR/etc/real/x" has a link already, for source "web/a" at links:1 by the path "DIR/etc/alias/x"`},
		"inside":          {[]string{"web/ alias/x", "web/b real/x/b"}, `target "DIR/etc/real/x/b" is inside target "DIR/etc/alias/x", which is a link itself, for source "web/" at links:1`},
		"each key inside": {[]string{"web/ alias", "web/* alias/"}, `target "DIR/etc/alias" is inside target "DIR/etc/alias"`},
	} {
		t.Run(name, func(t *testing.T) {
			h := aliased(t, tt.links...)
			_, err := Check(h.config)
			if words := strings.ReplaceAll(tt.words, "DIR", h.dir); err == nil || !strings.Contains(err.Error(), "links:2: "+words) {
				t.Errorf("error %v doesn't say %s", err, words)
			}
		})
	}
}

// TestOneTargetByTwoPathsOfKeys is the same for links that only the volume
// shows.
func TestOneTargetByTwoPathsOfKeys(t *testing.T) {
	for name, tt := range map[string]struct {
		links []string
		words string
	}{
		"globs":        {[]string{"web/* alias/", "tls/* real/"}, `links:2: key "tls/a": target "DIR/etc/real/a" has a link already, for source "web/*" at links:1 by the path "DIR/etc/alias/a"`},
		"key and tree": {[]string{"web/a real/a", "tls/ alias/"}, `links:2: key "tls/a": target "DIR/etc/alias/a" has a link already, for source "web/a" at links:1 by the path "DIR/etc/real/a"`},
		"inside":       {[]string{"web/sub alias/sub", "tls/ real/"}, `links:2: target "DIR/etc/real/sub/b" is inside target "DIR/etc/alias/sub", which is a link itself, for source "web/sub" at links:1`},
	} {
		t.Run(name, func(t *testing.T) {
			h := aliased(t, tt.links...)
			h.write("web", "a", "a", "sub", "file")
			h.write("tls", "a", "a", "sub/b", "b")
			h.open()
			h.invalid(strings.ReplaceAll(tt.words, "DIR", h.dir))
		})
	}
}

// TestTwoTargets: what only looks alike is no pair, also once confit's own links
// are there.
func TestTwoTargets(t *testing.T) {
	h := aliased(t, "web/a alias/x", "web/a real/y", "web/ whole", "web/* other/")
	h.write("web", "a", "a1")
	h.open()
	h.adopt()
	h.restart()
	h.write("web", "a", "a2")
	h.adopt()
	h.reads("real/x", "a2", "alias/y", "a2", "whole/a", "a2", "other/a", absent)
}

// aliased is a fixture in which etc/alias leads to etc/real.
func aliased(t *testing.T, links ...string) *fixture {
	t.Helper()
	h := newFixture(t, links...)
	for i := range h.config.Links {
		h.config.Links[i].Where = fmt.Sprintf("links:%d", i+1)
	}
	h.must(os.MkdirAll(h.path("etc/real"), 0o755))
	h.must(os.Symlink("real", h.path("etc/alias")))
	return h
}

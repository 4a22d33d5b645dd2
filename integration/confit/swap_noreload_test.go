package confit

import (
	"os"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// newWatched is a setup in which confit's looks at the volume can be seen. So a test can wait until a swap that must have no
// effect has had its chance. The reload is a hook that prints what changed.
func newWatched(t *testing.T) (*setup, *volume) {
	t.Helper()
	s := newSetup(t)
	web := s.volume("web")
	s.line("link web/a %s", s.target("a"))
	s.line("link web/b %s", s.target("b"))
	s.flag("--reload", `exec:sh -c 'echo "hook: $(echo $CONFIT_CHANGED)"'`)
	s.flag("--rescan", "50ms")
	s.box.Mounts = []harness.Mount{harness.StrictAtime(web.dir)}
	return s, web
}

// wantHooks checks which reloads there were, once the last one has come.
func (c *confit) wantHooks(want ...string) {
	c.t.Helper()
	var got []string
	c.Eventually("the last reload", func() bool {
		got = c.Texts("stderr", "hook: ")
		return len(got) > 0 && got[len(got)-1] == "hook: "+want[len(want)-1]
	})
	if strings.Join(got, "\n") != "hook: "+strings.Join(want, "\nhook: ") {
		c.t.Errorf("reloads are %q, want %q", got, want)
	}
}

// A swap that changes no byte of a linked key is no reload. A last swap that does shows that reloads work.
func TestNoReload_swaps(t *testing.T) {
	t.Parallel()
	base := keys{"a": "a1", "b": "b1", "token": "t1"}
	tests := []struct {
		name string
		swap func(*volume)
	}{
		{"same_bytes", func(v *volume) { v.swapRaw(base, func(string) error { return nil }) }},
		{"no_write_at_all", func(v *volume) { v.swap(base) }},
		{"token_rotation", func(v *volume) { v.swap(keys{"a": "a1", "b": "b1", "token": "t2"}) }},
		{"unlinked_key_added", func(v *volume) { v.swap(keys{"a": "a1", "b": "b1", "token": "t1", "c": "c1"}) }},
		{"unlinked_key_removed", func(v *volume) { v.swap(keys{"a": "a1", "b": "b1"}) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, web := newWatched(t)
			web.swap(base)
			c := s.start(app()...)
			c.Says("ready", 1)
			test.swap(web)
			c.looksAt(web)
			test.swap(web)
			c.looksAt(web)
			web.swap(keys{"a": "a1", "b": "b2", "token": "t1"})
			c.wantHooks("web/b")
			c.wantLogged("generation published", 2)
		})
	}
}

// A change of a mode alone is published, so that the app's next start sees it, but is no reload.
func TestNoReload_mode_is_published(t *testing.T) {
	t.Parallel()
	s, web := newWatched(t)
	base := keys{"a": "a1", "b": "b1"}
	web.swap(base)
	c := s.start(app()...)
	c.Says("ready", 1)
	web.swapRaw(base, func(dir string) error { return os.Chmod(dir+"/a", 0o600) })
	c.Eventually("the new mode", func() bool {
		info, err := os.Stat(s.target("a"))
		return err == nil && info.Mode().Perm()&^0o222 == 0o400
	})
	c.looksAt(web)
	web.swapFiles(map[string]file{"a": {"a1", 0o600}, "b": {"b2", 0o644}})
	c.wantHooks("web/b")
}

// For a pod's fsGroup the kubelet changes attributes before each swap. This storm has no effect of its own.
func TestNoReload_ownership_storm(t *testing.T) {
	t.Parallel()
	s, web := newWatched(t)
	web.swap(keys{"a": "a1", "b": "b1"})
	c := s.start(app()...)
	c.Says("ready", 1)
	for _, name := range []string{"a", "b", "..data", ""} {
		if err := os.Lchown(web.dir+"/"+name, -1, 1000); err != nil {
			t.Fatal(err)
		}
	}
	c.looksAt(web)
	web.swap(keys{"a": "a2", "b": "b1"})
	c.wantHooks("web/a")
	c.wantLogged("generation published", 2)
}

// In a plain volume: a file written again with the same bytes, and a temporary file that an editor makes.
func TestNoReload_plain(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	plain := s.mkdir("volumes", "plain")
	s.line("link plain/a %s", s.target("a"))
	s.line("link plain/b %s", s.target("b"))
	s.flag("--reload", `exec:sh -c 'echo "hook: $(echo $CONFIT_CHANGED)"'`)
	s.write(plain+"/a", "a1")
	s.write(plain+"/b", "b1")
	c := s.start(app()...)
	c.Says("ready", 1)
	s.replace(plain+"/a", "a1")
	s.write(plain+"/.a.swp", "editor")
	s.replace(plain+"/b", "b2")
	c.wantHooks("plain/b")
}

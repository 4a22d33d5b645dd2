package confit

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A file that a link covers comes back, byte for byte, when the key goes away. It is covered again with the key.
func TestRestore_covered(t *testing.T) {
	tests := map[string]func(path string) error{
		"file":             func(path string) error { return os.WriteFile(path, []byte("of the image"), 0o640) },
		"empty_file":       func(path string) error { return os.WriteFile(path, nil, 0o600) },
		"symlink":          func(path string) error { return os.Symlink("elsewhere", path) },
		"dangling_symlink": func(path string) error { return os.Symlink("/nonexistent", path) },
	}
	for name, make := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			s.mkdir("etc", "app")
			if err := make(s.target("b")); err != nil {
				t.Fatal(err)
			}
			before := s.tree(s.target("b"))
			s.line("link web/a %s", s.target("a"))
			s.line("link web/b %s optional", s.target("b"))
			s.line("reload signal:HUP")
			web := s.volume("web")
			web.swap(keys{"a": "a1", "b": "b1"})
			c := s.start(app()...)
			c.Says("ready", 1)
			for i := range 2 {
				s.wantFiles(keys{"b": "b1"})
				web.swap(keys{"a": "a1"})
				c.Says("signal HUP", 2*i+1)
				c.Eventually("what was covered", func() bool { return s.tree(s.target("b")) == before })
				web.swap(keys{"a": "a1", "b": "b1"})
				c.Says("signal HUP", 2*i+2)
			}
		})
	}
}

// The links of a glob come and go; files of others in the same directory stay, byte for byte.
func TestRestore_foreign_files(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.mkdir("etc", "app", "conf.d", "sub")
	err := errors.Join(
		os.WriteFile(s.target("conf.d/foreign.conf"), []byte("foreign"), 0o604),
		os.WriteFile(s.target("conf.d/.hidden"), []byte("hidden"), 0o600),
		os.WriteFile(s.target("conf.d/sub/deep"), []byte("deep"), 0o644),
		os.Symlink("foreign.conf", s.target("conf.d/link.conf")),
	)
	if err != nil {
		t.Fatal(err)
	}
	before := s.tree(s.path("etc"))
	s.line("link web/*.conf %s/ optional", s.target("conf.d"))
	s.line("reload signal:HUP")
	web := s.volume("web")
	web.swap(keys{"a.conf": "a1", "foreign.conf": "cover"})
	c := s.start(app()...)
	c.Says("ready", 1)
	s.wantFiles(keys{"conf.d/a.conf": "a1", "conf.d/foreign.conf": "cover"})
	web.swap(keys{"b.conf": "b1"})
	c.Says("signal HUP", 1)
	c.Eventually("the foreign file", func() bool {
		content, err := os.ReadFile(s.target("conf.d/foreign.conf"))
		return err == nil && string(content) == "foreign"
	})
	web.swap(keys{})
	c.Says("signal HUP", 2)
	c.Eventually("everything being as in the image", func() bool { return s.tree(s.path("etc")) == before })
}

// The container restarts with a key less: the file that the key covered comes back, too, as confit remembers its targets.
func TestRestore_after_a_restart(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.write(s.target("b"), "of the image")
	before := s.tree(s.target("b"))
	s.line("link web/a %s", s.target("a"))
	s.line("link web/b %s optional", s.target("b"))
	web := s.volume("web")
	web.swap(keys{"a": "a1", "b": "b1"})
	c := s.start(app()...)
	c.Says("ready", 1)
	s.wantFiles(keys{"a": "a1", "b": "b1"})
	c.Kill()
	web.swap(keys{"a": "a2"})
	c = s.start(app()...)
	c.Says("ready", 1)
	c.Eventually("what was covered", func() bool { return s.tree(s.target("b")) == before })
	s.wantFiles(keys{"a": "a2"})
}

// Somebody spoilt a target: the next swap fixes it, so that the app reads the key again.
func TestRestore_spoilt_target(t *testing.T) {
	tests := map[string]func(path string) error{
		"removed": os.Remove,
		"replaced_by_file": func(path string) error {
			return errors.Join(os.Remove(path), os.WriteFile(path, []byte("other"), 0o644))
		},
		"replaced_by_link":  func(path string) error { return errors.Join(os.Remove(path), os.Symlink("/etc/hostname", path)) },
		"directory_removed": func(path string) error { return os.RemoveAll(filepath.Dir(path)) },
	}
	for name, spoil := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			s.line("link web/a %s", s.target("sub/a"))
			s.line("reload signal:HUP")
			web := s.volume("web")
			web.swap(keys{"a": "first"})
			c := s.start(app("-print", s.target("sub/a"))...)
			c.Says("ready", 1)
			if err := spoil(s.target("sub/a")); err != nil {
				t.Fatal(err)
			}
			web.swap(keys{"a": "second"})
			c.Says("read second", 1)
		})
	}
}

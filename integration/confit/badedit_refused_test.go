package confit

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// oddKeys are things that a key must never be: each makes one in a directory under the name b. Another container that may write
// to the volume can make any of them.
var oddKeys = []struct {
	name string
	make func(path string) error
}{
	{"missing", func(string) error { return nil }},
	{"fifo", func(path string) error { return unix.Mkfifo(path, 0o644) }},
	{"device", func(path string) error { return unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))) }},
	{"socket", func(path string) error { return unix.Mknod(path, unix.S_IFSOCK|0o666, 0) }},
	{"directory", func(path string) error { return os.Mkdir(path, 0o755) }},
	{"symlink_to_shadow", func(path string) error { return os.Symlink("/etc/shadow", path) }},
	{"relative_symlink_out", func(path string) error { return os.Symlink("../../../../../../../../../../etc/shadow", path) }},
	{"symlink_to_itself", func(path string) error { return os.Symlink(filepath.Base(path), path) }},
	{"endless_chain", func(path string) error {
		return errors.Join(os.Symlink(filepath.Base(path)+"2", path), os.Symlink(filepath.Base(path), path+"2"))
	}},
	{"dangling_symlink", func(path string) error { return os.Symlink("nothing", path) }},
	{"symlink_to_fifo", func(path string) error {
		return errors.Join(unix.Mkfifo(path+"-fifo", 0o644), os.Symlink(filepath.Base(path)+"-fifo", path))
	}},
}

// newServing is an nginx that serves page a from key web/a.conf; key web/b must be there too.
func newServing(t *testing.T) *setup {
	t.Helper()
	s := newNginx(t)
	s.lines = nil
	s.line("link web/nginx.conf %s", s.target("nginx.conf"))
	s.line("link web/a.conf %s", s.target("conf.d/a.conf"))
	s.line("link web/b %s", s.target("b"))
	s.line("rescan 200ms")
	return s
}

func (s *setup) served(text string) keys {
	k := s.site("conf.d", keys{"a.conf": location("a", text)})
	return k
}

// In an atomic volume each of them is refused by name, the site is served unchanged, and a good swap fixes it.
func TestRefused_atomic(t *testing.T) {
	for _, odd := range oddKeys {
		t.Run(odd.name, func(t *testing.T) {
			t.Parallel()
			s := newServing(t)
			web := s.volume("web")
			good := s.served("first")
			good["b"] = "b1"
			web.swap(good)
			c := s.start(s.nginx()...)
			c.serves("a", "first")
			web.swapRaw(s.served("bad"), func(dir string) error { return odd.make(filepath.Join(dir, "b")) })
			c.wantRefused("web", "b")
			good = s.served("second")
			good["b"] = "b2"
			web.swapRaw(good, func(string) error { return nil })
			c.serves("a", "second")
			c.wantLogged("app reloaded", 1)
		})
	}
}

// wantRefused checks that a candidate was refused because of a key, and that the app runs on with what it had.
func (c *confit) wantRefused(volume, key string) {
	c.t.Helper()
	e := c.wantRejected("stage", 1)
	if !strings.Contains(e["reason"], volume) || !strings.Contains(e["reason"], key) {
		c.t.Errorf("the reason %q doesn't name key %q of volume %q", e["reason"], key, volume)
	}
	c.stillServes("a", "first")
	c.wantLogged("app reloaded", 0)
	c.wantLogged("app started", 1)
	if b, err := os.ReadFile(c.setup.target("b")); err != nil || string(b) != "b1" {
		c.t.Errorf("target b holds %q, want b1 (%v)", b, err)
	}
}

// The same in a plain volume.
func TestRefused_plain(t *testing.T) {
	t.Parallel()
	for _, odd := range oddKeys {
		t.Run(odd.name, func(t *testing.T) {
			t.Parallel()
			s := newServing(t)
			dir := s.mkdir("volumes", "web")
			for name, content := range s.served("first") {
				s.write(filepath.Join(dir, name), content)
			}
			b := filepath.Join(dir, "b")
			s.write(b, "b1")
			c := s.start(s.nginx()...)
			c.serves("a", "first")
			if err := errors.Join(os.Remove(b), odd.make(b)); err != nil {
				t.Fatal(err)
			}
			c.wantRefused("web", "b")
			if err := os.RemoveAll(b); err != nil {
				t.Fatal(err)
			}
			s.replace(b, "b2")
			s.replace(filepath.Join(dir, "a.conf"), location("a", "second"))
			c.serves("a", "second")
		})
	}
}

// All this can happen to a whole volume. Each is an invalid candidate, never an empty configuration. Even a volume with optional
// keys alone isn't empty because it was torn down.
func TestRefused_volume(t *testing.T) {
	tests := []struct {
		name  string
		spoil func(*volume)
	}{
		{"emptied_by_kubelet", func(v *volume) { v.swap(keys{}) }},
		{"required_key_removed", func(v *volume) { v.swap(keys{"a": "bad"}) }},
		{"torn_down", func(v *volume) { v.empty() }},
		{"removed", func(v *volume) { v.empty(); v.must(os.Remove(v.dir)) }},
		{"data_dangling", func(v *volume) { v.must(v.point("..nothing")) }},
		{"data_removed", func(v *volume) { v.must(os.Remove(filepath.Join(v.dir, "..data"))) }},
		{"data_leads_out", func(v *volume) { v.must(v.point("../../..")) }},
		{"data_to_itself", func(v *volume) { v.must(v.point("..data")) }},
		{"data_is_a_file", func(v *volume) {
			data := filepath.Join(v.dir, "..data")
			v.must(errors.Join(os.Remove(data), os.WriteFile(data, nil, 0o644)))
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			web := s.volume("web")
			s.line("link web/a %s", s.target("a"))
			s.line("link web/b %s", s.target("b"))
			s.line("reload signal:HUP")
			s.line("rescan 200ms")
			web.swap(keys{"a": "first", "b": "b1"})
			c := s.start(app("-print", s.target("a"))...)
			c.Says("ready", 1)
			test.spoil(web)
			c.wantRejected("stage", 1)
			s.wantFiles(keys{"a": "first", "b": "b1"})
			web.repair(keys{"a": "second", "b": "b2"})
			c.Says("read second", 1)
			s.wantFiles(keys{"a": "second", "b": "b2"})
			c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 1)
			if n := len(c.entries("candidate rejected")); n > 3 { // a tear-down has several states on its way
				t.Errorf("%d rejections, want one for each state", n)
			}
		})
	}
}

// repair makes a good volume of the remains of one.
func (v *volume) repair(k keys) {
	v.t.Helper()
	v.must(os.MkdirAll(v.dir, 0o755))
	v.swapRaw(k, func(string) error { return nil })
}

func (v *volume) must(err error) {
	v.t.Helper()
	if err != nil {
		v.t.Fatal(err)
	}
}

// A volume of optional keys that is torn down keeps what is live. If it is emptied properly, its keys go.
func TestRefused_optional_torn_down(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.volume("web")
	s.line("link web/*.conf %s/ optional", s.target("conf.d"))
	s.line("reload signal:HUP")
	s.line("rescan 200ms")
	web.swap(keys{"a.conf": "first"})
	c := s.start(app()...)
	c.Says("ready", 1)
	web.empty()
	c.wantRejected("stage", 1)
	s.wantFiles(keys{"conf.d/a.conf": "first"})
	web.repair(keys{"a.conf": "second"})
	c.Says("signal HUP", 1)
	web.repair(keys{})
	c.Says("signal HUP", 2)
	if exists(s.target("conf.d/a.conf")) {
		t.Error("an optional key that was removed still has its target")
	}
}

// confit refuses by name what a target may not be, before anything is started or changed.
func TestRefused_target(t *testing.T) {
	tests := map[string]func(path string) error{
		"directory_with_files": func(path string) error {
			return errors.Join(os.MkdirAll(path, 0o755), os.WriteFile(path+"/file", nil, 0o644))
		},
		"device": func(path string) error { return unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5))) },
		"fifo":   func(path string) error { return unix.Mkfifo(path, 0o644) },
		"socket": func(path string) error { return unix.Mknod(path, unix.S_IFSOCK|0o666, 0) },
	}
	for name, occupy := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newExit(t)
			s.mkdir("etc", "app")
			if err := occupy(s.target("a")); err != nil {
				t.Fatal(err)
			}
			before, _ := os.Lstat(s.target("a"))
			c := s.start(app()...)
			harness.Eventually(t, "end of confit", func() bool { return !c.Alive() })
			if code := c.State().ExitCode(); code != 71 && code != 78 {
				t.Errorf("exit code %d, want 71 or 78", code)
			}
			c.wantMention(s.target("a"))
			if after, err := os.Lstat(s.target("a")); err != nil || after.Mode() != before.Mode() {
				t.Errorf("the target was changed: %v, %v", after, err)
			}
			c.wantLogged("app started", 0)
		})
	}
}

// A generation above 64 MiB would fill the state directory, which is memory. It is refused by name, unless the key isn't copied.
func TestRefused_too_large(t *testing.T) {
	for _, option := range []string{"", "direct"} {
		t.Run("option_"+option, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			dir := s.mkdir("volumes", "plain")
			s.line("link plain/a %s %s", s.target("a"), option)
			s.line("reload signal:HUP")
			s.line("rescan 200ms")
			s.write(dir+"/a", "first")
			c := s.start(app()...)
			c.Says("ready", 1)
			if err := errors.Join(os.WriteFile(dir+"/a~", nil, 0o644), os.Truncate(dir+"/a~", 65<<20), os.Rename(dir+"/a~", dir+"/a")); err != nil {
				t.Fatal(err)
			}
			if option == "direct" {
				c.Says("signal HUP", 1)
				return
			}
			if e := c.wantRejected("stage", 1); !strings.Contains(e["reason"], "64 MiB") {
				t.Errorf("the reason is %q", e["reason"])
			}
			s.wantFiles(keys{"a": "first"})
			s.replace(dir+"/a", "second")
			c.Says("signal HUP", 1)
		})
	}
}

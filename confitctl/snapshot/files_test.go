package snapshot

import (
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confit/linker"
)

// write makes files below a directory, from pairs of path and content.
func write(t *testing.T, dir string, pairs ...string) {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		path := filepath.Join(dir, pairs[i])
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(pairs[i+1]), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// staged is what confit itself makes of some volumes, as it tells its hooks.
func staged(t *testing.T) (Source, linker.Generation) {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "confit/web/a.conf", "a\n", "confit/web/a/b", "b", "confit/web/bin", "\xff\x00", "confit/tls/key", "k",
		"confit/pod/name", "web-1", "confit/pod/zone", "z", "confit/web/direct", "d", "confit/web/unnamed", "u")
	link := func(source, target string) linker.Link {
		return linker.Link{Source: source, Target: linker.Target(dir + "/etc/" + target)}
	}
	direct, input, local := link("web/direct", "direct"), linker.Link{Source: "tls/key", Use: linker.Input}, link("pod/*", "pod/")
	direct.Direct, local.Local = true, true
	config, err := linker.Check(linker.Config{
		Volumes: filepath.Join(dir, "confit"), State: filepath.Join(dir, "state"), AllowDisk: true, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
		Links: []linker.Link{link("web/a.conf", "a.conf"), link("web/a/", "a/"), link("web/bin", "bin"), direct, input, local},
	})
	if err != nil {
		t.Fatal(err)
	}
	l, _, err := linker.Open(config)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(l.Close)
	c, err := l.Stage(linker.Known{})
	if err != nil {
		t.Fatal(err)
	}
	return Source{Dir: c.Dir, Local: strings.Split(c.Local, "\n"), Hash: c.Shared.Hex()}, c.Generation
}

// TestRead: the hash is just what confit calls it, and the keys are those that
// every replica has.
func TestRead(t *testing.T) {
	s, _ := staged(t)
	volumes, err := s.Read([]string{"web", "pod", "none"})
	if err != nil {
		t.Fatal(err)
	}
	web := volumes["web"]
	if len(web.Keys) != 3 || string(web.Keys["a.conf"]) != "a\n" || string(web.Keys["a/b"]) != "b" || string(web.Keys["bin"]) != "\xff\x00" {
		t.Errorf("web has %q", web.Keys)
	}
	if len(volumes) != 3 || len(volumes["pod"].Keys)+len(volumes["none"].Keys) != 0 {
		t.Errorf("got %v", volumes)
	}
	if hash := web.Hash; len(hash) != 64 || hash == s.Hash || hash == volumes["pod"].Hash || volumes["pod"].Hash != volumes["none"].Hash {
		t.Errorf("hashes %q, %q, %q", hash, volumes["pod"].Hash, volumes["none"].Hash)
	}
}

// TestReadChanged: what isn't what was accepted is no snapshot.
func TestReadChanged(t *testing.T) {
	for name, change := range map[string]func(dir string) error{
		"changed": func(dir string) error {
			return os.WriteFile(filepath.Join(dir, "tls/other"), []byte("x"), 0o600)
		},
		"missing": func(dir string) error { return os.Remove(filepath.Join(dir, "tls/key")) },
		"a link":  func(dir string) error { return os.Symlink("/etc/passwd", filepath.Join(dir, "web/z")) },
		"gone":    os.RemoveAll,
	} {
		s, _ := staged(t)
		if err := change(s.Dir); err != nil {
			t.Fatal(err)
		}
		_, err := s.Read([]string{"web"})
		if isLink := name == "a link"; (err == nil) != isLink { // which is no key, and isn't followed
			t.Errorf("%s: %v", name, err)
		}
	}
	s, _ := staged(t)
	s.Local = nil
	if _, err := s.Read(nil); err == nil || !strings.Contains(err.Error(), "aren't those that were accepted") {
		t.Errorf("local keys: %v", err)
	}
}

// TestReadRendered: what a renderer made is left out.
func TestReadRendered(t *testing.T) {
	s, _ := staged(t)
	write(t, s.Dir, ".rendered/web/x", "x")
	if _, err := s.Read(nil); err != nil {
		t.Error(err)
	}
}

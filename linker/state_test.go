package linker

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestStateNotTrusted(t *testing.T) {
	spoil := map[string]func(generations string) error{
		"symlink":    func(p string) error { return errors.Join(os.Remove(p), os.Symlink("/tmp", p)) },
		"user 12345": func(p string) error { return os.Chown(p, 12345, -1) },
		"others may": func(p string) error { return os.Chmod(p, 0o777) },
	}
	for words, f := range spoil {
		h := newFixture(t, "web/a a")
		h.must(os.MkdirAll(h.path("state/generations"), 0o755))
		h.must(f(h.path("state/generations")))
		if _, _, err := Open(h.checked()); err == nil || !strings.Contains(err.Error(), words) {
			t.Errorf("%s: %v", words, err)
		}
	}
}

func TestStateTightened(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.must(os.Mkdir(h.path("state"), 0o755))
	h.must(os.Chmod(h.path("state"), 0o777)) // as the kubelet makes an emptyDir
	h.open()
	if info, err := os.Stat(h.path("state")); err != nil || info.Mode().Perm() != 0o755 {
		t.Errorf("state directory is %v, %v", info.Mode(), err)
	}
}

// TestStateIsAFile: it is refused, and stays as it is.
func TestStateIsAFile(t *testing.T) {
	h := newFixture(t)
	h.must(os.WriteFile(h.config.State, []byte("mine"), 0o644))
	h.must(os.Chmod(h.config.State, 0o666))
	if _, _, err := Open(h.checked()); err == nil || !strings.Contains(err.Error(), "not a directory") {
		t.Errorf("got %v", err)
	}
	if info, err := os.Stat(h.config.State); err != nil || info.Mode() != 0o666 {
		t.Errorf("the file is %v, %v", info, err)
	}
}

// TestStateDirectoryIsAFIFO: nobody waits for its writer.
func TestStateDirectoryIsAFIFO(t *testing.T) {
	h := newFixture(t, "web/a a")
	h.must(unix.Mkfifo(h.config.State, 0o666))
	if _, err := ReadStatus(h.config.State); err == nil {
		t.Error("a status was read")
	}
	if _, _, err := Open(h.checked()); err == nil {
		t.Error("it was opened")
	}
}

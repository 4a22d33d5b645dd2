package linker

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func TestInstall(t *testing.T) {
	to := t.TempDir() + "/confit"
	for range 2 {
		if err := Install(to); err != nil {
			t.Fatal(err)
		}
	}
	info, err := os.Stat(to)
	if err != nil || info.Mode().Perm() != 0o755 || info.Size() == 0 {
		t.Errorf("installed %v, %v", info, err)
	}
	if err := Install(t.TempDir()); err == nil || !strings.Contains(err.Error(), "write the file") {
		t.Errorf("installed over a directory: %v", err)
	}
	pipe := t.TempDir() + "/pipe"
	if err := errors.Join(unix.Mkfifo(pipe, 0o600), Install(pipe)); err == nil || !strings.Contains(err.Error(), "or a device") {
		t.Errorf("installed over a pipe: %v", err)
	}
}

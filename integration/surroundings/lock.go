package surroundings

import (
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// InTheLocksWay is what may stand where the lock goes, left by whoever could write to
// the directory before confit tightened it.
var InTheLocksWay = map[string]func(path string) error{
	"nothing":        func(string) error { return nil },
	"another's":      func(p string) error { return errors.Join(os.WriteFile(p, nil, 0o600), os.Chown(p, 65534, 65534)) },
	"for all":        func(p string) error { return errors.Join(os.WriteFile(p, nil, 0o600), os.Chmod(p, 0o666)) },
	"readable":       func(p string) error { return errors.Join(os.WriteFile(p, nil, 0o600), os.Chmod(p, 0o644)) },
	"a FIFO":         func(p string) error { return unix.Mkfifo(p, 0o600) },
	"a symlink":      func(p string) error { return os.Symlink("note.json", p) },
	"a dead link":    func(p string) error { return os.Symlink("../victim", p) },
	"a directory":    func(p string) error { return os.MkdirAll(filepath.Join(p, "x"), 0o755) },
	"left by confit": func(p string) error { return os.WriteFile(p, nil, 0o600) },
}

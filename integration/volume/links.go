package volume

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// show makes the visible links that are missing. Step 8. Whatever else has the name already is left alone.
func show(dir string, p Payload) error {
	for _, key := range p.keys() {
		name := first(key)
		link := filepath.Join(dir, name)
		if _, err := os.Readlink(link); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err := os.Symlink(filepath.Join(dataLink, name), link); err != nil {
			return err
		}
	}
	return nil
}

// hide removes the visible links of what is gone: those of first path elements only, since a deeper path lives inside the
// swapped directory alone. Step 9.
func hide(dir string, gone []string) error {
	var errs []error
	for _, path := range gone {
		if !strings.Contains(path, "/") {
			errs = append(errs, os.Remove(filepath.Join(dir, path)))
		}
	}
	return errors.Join(errs...)
}

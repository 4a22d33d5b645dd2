package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"confit/linker/files"
	"confit/linker/statedir"
)

const statusName = "status.json"

// WriteStatus replaces status.json. Any goroutine may call it: it touches only a temporary name of its own.
func (l *Linker) WriteStatus(data []byte) error {
	return l.state.Replace(statusName, data)
}

// Volumes is what the last look found, in the order of the links.
func (l *Linker) Volumes() []VolumeStatus { return l.volumes }

// ReadStatus returns status.json of a state directory, see [statedir.ReadFile].
func ReadStatus(dir string) ([]byte, error) {
	data, err := statedir.ReadFile(dir, statusName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cannot read a status in state directory %q: there is none; "+
			"confit has not written one yet, or works in another directory: name it with --state", dir)
	case err != nil:
		return nil, fmt.Errorf("cannot read %q: %w", filepath.Join(dir, statusName), files.Cause(err))
	}
	return data, nil
}

package linker

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"confit/linker/files"
)

const statusName = "status.json"

// WriteStatus replaces status.json. Unlike other methods of a Linker it may be
// called from any goroutine: it touches only the state directory's [os.Root],
// which is safe for that, and a temporary name of its own.
func (l *Linker) WriteStatus(data []byte) error {
	return l.state.replace(statusName, data)
}

// Volumes is what the last look found, in the order of the links.
func (l *Linker) Volumes() []VolumeStatus { return l.volumes }

// ReadStatus returns status.json of a state directory. The caller may be in
// another container, another user, on a read-only mount, and a confit may
// replace the file meanwhile. So ReadStatus takes no lock, which could keep a
// confit from starting, and waits for nothing that it opens.
func ReadStatus(dir string) ([]byte, error) {
	data, err := readStatus(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cannot read a status in state directory %q: there is none; "+
			"confit has not written one yet, or works in another directory: name it with --state", dir)
	case err != nil:
		return nil, fmt.Errorf("cannot read %q: %w", filepath.Join(dir, statusName), files.Cause(err))
	}
	return data, nil
}

func readStatus(dir string) ([]byte, error) {
	root, err := os.OpenRoot(files.AsDir(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, info, err := files.OpenRegular(root, statusName)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkOwner(root, info); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

// checkOwner refuses a status that isn't confit's: the kubelet makes an
// emptyDir 0777, and where confit may not tighten that, anybody in the pod can
// put a file there. The reader can't know confit's user. But confit refuses
// generations that are somebody else's, so their owner is confit's user.
func checkOwner(root *os.Root, status fs.FileInfo) error {
	by := files.Owner(status)
	if by == 0 || by == uint32(os.Geteuid()) {
		return nil
	}
	if generations, err := root.Lstat(generationsName); err == nil && files.Owner(generations) == by {
		return nil
	}
	return fmt.Errorf("user %d owns it: not root, not you, and not the owner of the generations", by)
}

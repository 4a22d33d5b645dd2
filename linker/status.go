package linker

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

const statusName = "status.json"

// WriteStatus replaces status.json. Unlike all else of a Linker it may be
// called from any goroutine: it touches nothing but the state directory's
// [os.Root], which is safe for that, and a temporary name of its own.
func (l *Linker) WriteStatus(data []byte) error {
	return l.state.replace(statusName, data)
}

// Volumes is what the last look found, in the order of the links.
func (l *Linker) Volumes() []VolumeReport { return l.volumes }

// Keys is the SHA-256, in 64 digits, of each key of the accepted generation, by
// its path in the generation. The map is the caller's.
func (l *Linker) Keys() map[string]string {
	if l.accepted == nil {
		return nil
	}
	sums := make(map[string]string, len(l.accepted.files))
	for path, f := range l.accepted.files {
		sums[string(path)] = f.sum.Hex()
	}
	return sums
}

// ReadStatus returns status.json of a state directory, for whoever asks: maybe
// in another container, as another user, on a read-only mount, and while a
// confit replaces it. So it takes no lock, with which it could keep a confit
// from starting, and what it opens it doesn't wait for.
func ReadStatus(dir string) ([]byte, error) {
	data, err := readStatus(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cannot read a status in state directory %q: there is none; "+
			"confit has not written one yet, or works in another directory: name it with --state", dir)
	case err != nil:
		return nil, fmt.Errorf("cannot read %q: %w", filepath.Join(dir, statusName), cause(err))
	}
	return data, nil
}

func readStatus(dir string) ([]byte, error) {
	root, err := os.OpenRoot(asDir(dir))
	if err != nil {
		return nil, err
	}
	defer root.Close()
	f, info, err := openRegular(root, statusName)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := checkOwner(root, info); err != nil {
		return nil, err
	}
	return io.ReadAll(f)
}

// checkOwner refuses a status that isn't confit's: the kubelet makes an emptyDir
// 0777, and where confit may not tighten it, anybody in the pod can put a file
// there. The reader can't know as which user confit runs, but confit itself
// refuses generations that are somebody else's.
func checkOwner(root *os.Root, status fs.FileInfo) error {
	by := owner(status)
	if by == 0 || by == uint32(os.Geteuid()) {
		return nil
	}
	if generations, err := root.Lstat(generationsName); err == nil && owner(generations) == by {
		return nil
	}
	return fmt.Errorf("user %d owns it, who isn't root, nor you, nor the owner of the generations", by)
}

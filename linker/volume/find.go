package volume

import (
	"fmt"
	"io/fs"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/safedir"
)

// stat looks at a key without opening it: a FIFO would block, and a device may do anything. It
// follows links in the volume.
func (v *volume) stat(name string) (st files.Stat, err error) {
	if v.root == nil {
		return st, unix.ENOENT
	}
	if flaw := files.NameFlaw(name); flaw != "" {
		return st, fmt.Errorf("key %q in volume %q has a name that %s: rename it", name, v.dir, flaw)
	}
	kind := "" // of what is no file
	err = v.root.Within(name, func(in *safedir.Dir, last string, found files.Stat) error {
		st = found
		if !st.IsDir() && !st.IsRegular() {
			kind = in.Describe(last)
		}
		return nil
	})
	switch {
	case err == unix.ENOENT && v.holds(name):
		return st, fmt.Errorf("key %q in volume %q is a link that leads nowhere", name, v.dir)
	case err == unix.ENOENT:
		return st, unix.ENOENT
	case err == safedir.ErrOut:
		return st, fmt.Errorf("key %q in volume %q is a link out of the volume: put the file itself there", name, v.dir)
	case err != nil:
		return st, fmt.Errorf("cannot read key %q in volume %q: %w", name, v.dir, files.Reason(err))
	case kind != "":
		return st, fmt.Errorf("key %q in volume %q is %s, not a regular file", name, v.dir, kind)
	}
	return st, nil
}

// holds reports that something has a name, though it may be a link that leads nowhere.
func (v *volume) holds(name string) bool {
	in, err := v.root.OpenWithin(path.Dir(name))
	if err != nil {
		return false
	}
	defer in.Close()
	return !in.Missing(path.Base(name))
}

// listed is stat for an entry of a directory, whose name in the volume is known. What is a file
// needs no walk.
func (v *volume) listed(in *safedir.Dir, e fs.DirEntry, name string) (st files.Stat, err error) {
	if files.NameFlaw(name) == "" && e.Type().IsRegular() {
		if st, err = in.Stat(e.Name()); err == nil && st.IsRegular() {
			return st, nil
		}
	}
	return v.stat(name)
}

// openFile opens a file of the volume. What lies right in it needs no walk, but for a link.
func (v *volume) openFile(name string, flags int) (f files.Raw, err error) {
	if !strings.Contains(name, "/") {
		if f, err := v.root.OpenFile(name, flags, 0); err == nil {
			return f, nil
		}
	}
	err = v.root.Within(name, func(in *safedir.Dir, last string, _ files.Stat) (err error) {
		if f, err = in.OpenFile(last, flags, 0); err == unix.ELOOP {
			err = files.ErrMoved // it was no link a moment ago
		}
		return err
	})
	return f, err
}

// visible reports whether a name in a volume can be that of a key: others are the writer's own,
// atomic_writer.go.
func visible(name string) bool { return !strings.HasPrefix(name, "..") }

// readDir opens a directory, and lists what is in it in order. Each is opened by its path from the
// volume, so the time grows with the square of the depth. A tree without end would be walked for
// ever.
func (v *volume) readDir(name string) (in *safedir.Dir, entries []fs.DirEntry, err error) {
	if strings.Count(name, "/") >= safedir.MaxDepth {
		return nil, nil, fmt.Errorf("more than %d directories are nested", safedir.MaxDepth)
	}
	if in, err = v.root.OpenWithin(name); err != nil {
		return nil, nil, err
	}
	if entries, err = in.List(); err != nil {
		in.Close()
		return nil, nil, err
	}
	return in, entries, nil
}

// names lists what may be keys in a directory, as far as that can be read.
func (v *volume) names(dir string) []string {
	in, entries, _ := v.readDir(dir)
	in.Close()
	return visibleNames(entries)
}

func visibleNames(entries []fs.DirEntry) (names []string) {
	for _, e := range entries {
		if visible(e.Name()) {
			names = append(names, e.Name())
		}
	}
	return names
}

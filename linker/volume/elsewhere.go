package volume

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/safedir"

	"golang.org/x/sys/unix"
)

var (
	// ErrNotTried says that a directory holds nothing of what the links name.
	ErrNotTried = errors.New(
		"it has none of the volumes that the lines name: lay it out as --volumes is, DIR/VOLUME/KEY")
	// ErrNoFallback says that the fallback holds nothing of what the links name.
	ErrNoFallback = errors.New("the fallback directory has none of the volumes")
)

// InTry is a reader whose sources of the volumes that a directory has lead there. An atomic volume
// counts even if it is empty, a plain one if it holds anything; with atomic only the former are
// looked for. mount is the directory of all volumes, absolute as dir is. It is [ErrNotTried] if
// there are none.
func (rd *Reader) InTry(mount, dir string, atomic bool) (*Reader, error) {
	return rd.elsewhere(mount, dir, ErrNotTried, func(_, there *lines.Line) (bool, error) {
		if _, found := findVolume(there); found || atomic {
			return found, nil
		}
		return hasKeys(there)
	})
}

// InFallback is the same for the fallback, "" for none. There a volume counts if it holds anything,
// as a missing, optional ConfigMap is mounted as an empty one, and if no target leads to the
// mounted one. Without any it is [ErrNoFallback].
func (rd *Reader) InFallback(mount, fallback string) (*Reader, error) {
	if fallback == "" {
		return nil, ErrNoFallback
	}
	has := map[string]bool{} // by floor, whether the fallback replaces a volume
	for _, s := range rd.Links {
		if s.Direct {
			has[s.Floor] = false
		}
	}
	return rd.elsewhere(mount, fallback, ErrNoFallback, func(s, there *lines.Line) (_ bool, err error) {
		if _, known := has[s.Floor]; !known {
			has[s.Floor], err = hasKeys(there)
		}
		return has[s.Floor], err
	})
}

// elsewhere is a reader whose sources lead to a directory that is laid out like mount, where has
// says so of a line, as it is and as it would be there. The error is none if it never does.
func (rd *Reader) elsewhere(
	mount, dir string, none error, has func(s, there *lines.Line) (bool, error),
) (*Reader, error) {
	moved := func(p string) string { return filepath.Join(dir, strings.TrimPrefix(p, mount)) }
	moving, some := *rd, false
	moving.Mounted, moving.once = slices.Clone(rd.Mounted), maps.Clone(rd.once)
	for i, s := range rd.Mounted {
		if s.Root != mount {
			continue
		}
		there := *s
		there.Base, there.Floor, there.Root, there.InFallback = moved(s.Base), moved(s.Floor), dir, true
		leads, err := has(s, &there)
		if err != nil {
			return nil, err
		}
		if leads {
			moving.Mounted[i], some = &there, true
		}
	}
	if !some {
		return nil, none
	}
	return &moving, nil
}

// hasKeys reports whether a line's volume holds anything. In the directory of all volumes only
// files count.
func hasKeys(s *lines.Line) (bool, error) {
	entries, err := os.ReadDir(files.AsDir(s.Floor))
	if err = files.Ignoring(err, fs.ErrNotExist); err != nil {
		return false, fmt.Errorf("cannot list volume %q, which is to be a directory of keys: %w", s.Floor,
			files.Reason(err))
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool {
		return visible(e.Name()) && e.Name() != hashName && (s.Floor != s.Root || !e.IsDir())
	}), nil
}

// checkHashes refuses a fallback whose volumes come from different configurations. One without the
// file goes with any.
func (r *Reading) checkHashes() error {
	former, dir := "", ""
	for _, v := range r.volumes {
		if !v.inFallback {
			continue
		}
		whole, err := v.wholeHash()
		switch {
		case err != nil:
			return files.Invalidf("cannot read %s of the fallback's volume %q: %w", hashName, v.dir, err)
		case former != "" && whole != "" && whole != former:
			return files.Invalidf(
				"the fallback's volumes %q and %q come from different configurations: their files %s differ in the second word", dir, v.dir, hashName)
		case whole != "":
			former, dir = whole, v.dir
		}
	}
	return nil
}

// wholeHash is the hash of the whole that a volume of the fallback names, or "" if it names none.
func (v *volume) wholeHash() (string, error) {
	if v.root == nil {
		return "", nil
	}
	var data []byte
	err := v.root.Within(hashName, func(in *safedir.Dir, name string, _ files.Stat) (err error) {
		data, err = in.Read(name, 1<<10, func(*files.Stat) error { return nil })
		return err
	})
	switch words := strings.Fields(string(data)); {
	case err == unix.ENOENT:
		return "", nil
	case err != nil:
		return "", err
	case len(words) != 2:
		return "", errors.New("it must hold two words, the hash of the volume and that of the whole")
	default:
		return words[1], nil
	}
}

// hashName is a file beside the keys of a fallback's volume that is no key itself. It holds two
// words: the hash of the volume, and that of the whole configuration. Whoever writes several
// volumes can't replace them at once.
const hashName = ".confit-hash"

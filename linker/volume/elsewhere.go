package volume

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"confit/linker/files"
	"confit/linker/lines"
)

var (
	// ErrNotTried says that a directory holds nothing of what the links name.
	ErrNotTried = errors.New("it has none of the volumes that the lines name: lay it out as --volumes is, DIR/VOLUME/KEY")
	// ErrNoFallback says that the fallback holds nothing of what the links name.
	ErrNoFallback = errors.New("the fallback directory has none of the volumes")
)

// InTry is a reader whose sources of the volumes that a directory has lead there. An atomic
// volume counts even if it is empty, a plain one if it holds anything; with atomic only the
// former are looked for. mount is the directory of all volumes, absolute as dir is. It is
// [ErrNotTried] if there are none.
func (rd *Reader) InTry(mount, dir string, atomic bool) (*Reader, error) {
	return rd.elsewhere(mount, dir, ErrNotTried, func(_, there *lines.Line) (bool, error) {
		if _, found := findVolume(there); found || atomic {
			return found, nil
		}
		return hasKeys(there)
	})
}

// InFallback is the same for the fallback, "" for none. There a volume counts if it holds
// anything, as a missing, optional ConfigMap is mounted as an empty one, and if no target leads
// to the mounted one. It is [ErrNoFallback] if there are none.
func (rd *Reader) InFallback(mount, fallback string) (*Reader, error) {
	if fallback == "" {
		return nil, ErrNoFallback
	}
	has := map[string]bool{} // by floor, whether the fallback replaces a volume
	for i := range rd.Links {
		if s := &rd.Links[i]; s.Direct {
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
func (rd *Reader) elsewhere(mount, dir string, none error, has func(s, there *lines.Line) (bool, error)) (*Reader, error) {
	moved := func(p string) string { return filepath.Join(dir, strings.TrimPrefix(p, mount)) }
	moving := *rd
	moving.Links, moving.once = slices.Clone(rd.Links), maps.Clone(rd.once)
	for _, i := range rd.Mounted {
		s := &rd.Links[i]
		if s.Root != mount {
			continue
		}
		there := *s
		there.Base, there.Floor, there.Ceiling, there.InFallback = moved(s.Base), moved(s.Floor), dir, true
		leads, err := has(s, &there)
		if err != nil {
			return nil, err
		}
		if !leads {
			continue
		}
		moving.Links[i] = there
		if !slices.Contains(moving.fallback, there.Floor) {
			moving.fallback = append(moving.fallback, there.Floor)
		}
	}
	if len(moving.fallback) == 0 {
		return nil, none
	}
	return &moving, nil
}

// hasKeys reports whether a line's volume holds anything. In the directory of all volumes only
// files count.
func hasKeys(s *lines.Line) (bool, error) {
	v, err := openVolume(s.Floor, false)
	if err != nil || v.root == nil {
		return false, cmp.Or(err, v.odd)
	}
	defer v.close()
	entries, err := v.readDir(".")
	if err != nil {
		return false, fmt.Errorf("cannot list volume %q: %w", s.Floor, files.Cause(err))
	}
	for _, e := range entries {
		if visible(e.Name()) && e.Name() != hashName && (s.Floor != s.Ceiling || !e.IsDir()) {
			return true, nil
		}
	}
	return false, nil
}

// checkHashes refuses a fallback whose volumes come from different configurations.
// A volume without the file goes with any.
func (r *Reading) checkHashes() error {
	var former, dir string
	for _, d := range r.from.fallback {
		whole, err := readHash(d)
		switch {
		case err != nil:
			return err
		case former != "" && whole != "" && whole != former:
			return files.Invalidf("the fallback's volumes %q and %q come from different configurations: their files %s differ in the second word", dir, d, hashName)
		case whole != "":
			former, dir = whole, d
		}
	}
	return nil
}

// readHash returns the hash of the whole that a volume of the fallback names, or
// "" if it names none.
func readHash(dir string) (whole string, err error) {
	_, err = os.Lstat(filepath.Join(dir, lines.DataLink))
	v, err := openVolume(dir, err == nil)
	if err != nil || v.root == nil {
		return "", err
	}
	defer v.close()
	info, err := v.stat(hashName)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", nil
	case err == nil && info.IsDir():
		err = errors.New("it is a directory")
	case err == nil:
		whole, err = Key{name: hashName, vol: v}.secondWord()
	}
	if err != nil {
		return "", files.Invalidf("cannot read %s of the fallback's volume %q: %w", hashName, dir, files.Cause(err))
	}
	return whole, nil
}

func (k Key) secondWord() (string, error) {
	f, _, err := k.open()
	if err != nil {
		return "", err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, 1<<10))
	_, second, _ := strings.Cut(strings.TrimSpace(string(data)), " ")
	if err == nil && (second == "" || strings.ContainsAny(second, " \n")) {
		err = errors.New("it must hold two words, the hash of the volume and that of the whole")
	}
	return second, err
}

// hashName is a file beside the keys of a fallback's volume that is no key itself.
// It holds two words: the hash of the volume, and that of the whole configuration.
// Whoever writes several volumes can't replace them at once.
const hashName = ".confit-hash"

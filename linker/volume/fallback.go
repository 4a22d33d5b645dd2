package volume

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"confit/linker/files"
	"confit/linker/lines"
)

// ErrNoFallback says that the fallback holds nothing of what the links name.
var ErrNoFallback = errors.New("the fallback directory has none of the volumes")

// InFallback is a reader whose sources of the volumes that the fallback has lead there.
// mount and fallback are the directories of all volumes, absolute, and of those in the
// fallback. It is [ErrNoFallback] if there are none; fallback may be "".
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
	return rd.elsewhere(mount, fallback, ErrNoFallback, func(s, there *lines.Line) (bool, error) {
		if _, known := has[s.Floor]; !known {
			var err error
			if has[s.Floor], err = hasKeys(there.Floor, there.Floor == fallback); err != nil {
				return false, err
			}
		}
		return has[s.Floor], nil
	})
}

// hasKeys reports whether a directory is a volume. In the one of all volumes only
// files count.
func hasKeys(dir string, top bool) (bool, error) {
	v, err := openVolume(dir, false)
	if err != nil || v.root == nil {
		return false, cmp.Or(err, v.odd)
	}
	defer v.close()
	entries, err := v.readDir(".")
	if err != nil {
		return false, fmt.Errorf("cannot list volume %q: %w", dir, files.Cause(err))
	}
	for _, e := range entries {
		if visible(e.Name()) && e.Name() != hashName && (!top || !e.IsDir()) {
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
	data, err := io.ReadAll(io.LimitReader(f, maxHashes))
	_, second, _ := strings.Cut(strings.TrimSpace(string(data)), " ")
	if err == nil && (second == "" || strings.ContainsAny(second, " \n")) {
		err = errors.New("it must hold two words, the hash of the volume and that of the whole")
	}
	return second, err
}

// maxHashes bounds its size, in bytes.
const maxHashes = 1 << 10

// hashName is a file beside the keys of a fallback's volume that is no key itself.
// It holds two words: the hash of the volume, and that of the whole configuration.
// Whoever writes several volumes can't replace them at once.
const hashName = ".confit-hash"

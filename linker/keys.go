package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"
)

// key is one file of a volume that a link asks for.
type key struct {
	path   string // where it stands in a generation
	name   string // its path in the volume
	vol    *volume
	link   int    // index of the link that asks for it
	target string // "" below a link to a whole directory
	info   fs.FileInfo
}

// expand lists the keys that a link stands for, in the state of the volume
// that was opened. All that is wrong with them is reported at once.
func expand(i int, s *source, v *volume) ([]key, error) {
	if s.kind == oneKey {
		return expandOne(i, s, v)
	}
	var keys []key
	var wrong []error
	gone := false
	err := s.walk(v, func(below, name string) {
		k := key{link: i, vol: v, path: path.Join(s.prefix, below), name: name}
		if s.kind != wholeDir {
			k.target = path.Join(s.Target, below)
		}
		info, err := v.stat(k.name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			gone = true // it was listed a moment ago
		case err != nil:
			wrong = append(wrong, s.errorf("%w", err))
		case !info.IsDir(): // a link to a directory is no key
			k.info = info
			keys = append(keys, k)
		}
	})
	if gone {
		err = errMoved
	}
	if err != nil {
		return nil, err
	}
	if len(keys) == 0 && len(wrong) == 0 && !s.Optional {
		return nil, s.missing(v)
	}
	return keys, joinInvalid(wrong)
}

func expandOne(i int, s *source, v *volume) ([]key, error) {
	k := key{link: i, vol: v, path: s.prefix, name: v.inVolume(s.base), target: s.Target}
	info, err := v.stat(k.name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && s.Optional:
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, s.missing(v)
	case err != nil:
		return nil, s.classify(err)
	case info.IsDir():
		return nil, s.classify(fmt.Errorf("key %q in volume %q is a directory: for every key below it write %q", k.name, v.dir, s.Source+"/"))
	}
	k.info = info
	return []key{k}, nil
}

// missing says what isn't there, and why that may be.
func (s *source) missing(v *volume) error {
	what := fmt.Sprintf("key %q is missing from volume %q", v.inVolume(s.base), v.dir)
	if s.kind != oneKey {
		what = fmt.Sprintf("no key of volume %q matches %q", v.dir, s.Source)
	}
	if v.root == nil {
		what = fmt.Sprintf("%q needs volume %q, which is not mounted", s.Source, v.dir)
	}
	return &Invalid{s.errorf("%s (if it may be missing, add the option optional)", what)}
}

// stat looks at a key without opening it: opening a FIFO would block and
// opening a device may do anything. Links are followed inside the volume only.
func (v *volume) stat(name string) (fs.FileInfo, error) {
	if v.root == nil {
		return nil, fs.ErrNotExist
	}
	if flaw := flawOf(name); flaw != "" {
		return nil, fmt.Errorf("key %q in volume %q has a name that %s: rename it", name, v.dir, flaw)
	}
	info, err := v.root.Stat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if _, lerr := v.root.Lstat(name); lerr == nil {
			return nil, fmt.Errorf("key %q in volume %q is a link that leads nowhere", name, v.dir)
		}
		return nil, fs.ErrNotExist
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read key %q in volume %q: %w", name, v.dir, cause(err))
	}
	if !info.IsDir() && !info.Mode().IsRegular() {
		return nil, fmt.Errorf("key %q in volume %q is %s, not a regular file", name, v.dir, describe(info.Mode()))
	}
	return info, nil
}

// flawOf says what is wrong with a name that couldn't be told: the notes and the
// status are JSON, which is UTF-8, and a hook has the changed keys one a line.
// The keys of a ConfigMap or Secret have only letters, digits, -, _ and dots.
func flawOf(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "isn't UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "holds a control character"
	}
	return ""
}

// describe names a file's type with its article.
func describe(m fs.FileMode) string {
	switch {
	case m.IsRegular():
		return "a regular file"
	case m.IsDir():
		return "a directory"
	case m&fs.ModeSymlink != 0:
		return "a symlink"
	case m&fs.ModeNamedPipe != 0:
		return "a FIFO"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "a special file"
}

// classify tells what is wrong with a volume, and stays so until the volume
// changes, from what is wrong with the system and may pass.
func (s *source) classify(err error) error {
	var disk *onDiskError
	if errors.Is(err, errMoved) || errors.As(err, &disk) {
		return err
	}
	return invalid(s.errorf("%w", err))
}

// mostProblems bounds how many problems one message tells.
const mostProblems = 10

// joinInvalid makes one error of many, or nil of none.
func joinInvalid(wrong []error) error {
	if len(wrong) == 0 {
		return nil
	}
	if more := len(wrong) - mostProblems; more > 0 {
		wrong = append(wrong[:mostProblems:mostProblems], fmt.Errorf("and %d more", more))
	}
	return &Invalid{errors.Join(wrong...)}
}

package linker

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"confit/linker/files"
	"confit/linker/lines"
)

// ErrNoFallback says that the fallback holds nothing of what the links name.
var ErrNoFallback = errors.New("the fallback directory has none of the volumes")

// HasFallback reports whether [Linker.StageFallback] has anything to stage. What
// can't be looked at counts: the stage tells why.
func (l *Linker) HasFallback() bool {
	_, err := l.fallbackReader()
	return !errors.Is(err, ErrNoFallback)
}

// StageFallback stages a candidate as [Linker.Stage] does. But it reads the keys
// of each volume that the fallback has from there. A volume is what the first
// element of a path below Config.Volumes names. A directory without a key is none:
// a missing, optional ConfigMap is mounted as an empty one. Paths in the
// generation, targets and links stay the same. A volume with a direct key stays
// the mounted one, as its target leads there.
//
// The error is [ErrNoFallback] if no volume is there, and an [*Invalid] if no
// candidate can be made of those that are. The watches and [Linker.Volumes] stay those
// of the mounted configuration. What was seen is of the fallback.
func (l *Linker) StageFallback(k Known) (c Candidate, err error) {
	err = try(func() error {
		rd, err := l.fallbackReader()
		if err != nil {
			return err
		}
		r, err := rd.look()
		if err != nil {
			return err
		}
		defer r.close()
		return l.take(r, &k, &c)
	})
	return c, err
}

// fallbackReader is a reader whose sources of these volumes lead to the fallback.
func (l *Linker) fallbackReader() (*reader, error) {
	if l.fallback == "" {
		return nil, ErrNoFallback
	}
	has, err := l.fallbackVolumes()
	if err != nil {
		return nil, err
	}
	rd := l.reader
	rd.links, rd.atomic = append([]lines.Line(nil), l.links...), append([]string(nil), l.reader.atomic...)
	for _, i := range rd.mounted {
		s := &rd.links[i]
		if s.Root != l.mount || !has[s.Floor] {
			continue
		}
		s.Base, s.Floor, s.Ceiling, s.InFallback = l.fallbackPath(s.Base), l.fallbackPath(s.Floor), l.fallback, true
		rd.atomic[i] = ""
		if !slices.Contains(rd.fallback, s.Floor) {
			rd.fallback = append(rd.fallback, s.Floor)
		}
	}
	if len(rd.fallback) == 0 {
		return nil, ErrNoFallback
	}
	return &rd, nil
}

// fallbackVolumes tells of each mounted volume whether the fallback replaces it.
func (l *Linker) fallbackVolumes() (map[string]bool, error) {
	has := map[string]bool{}
	for i := range l.links {
		if s := &l.links[i]; s.Direct {
			has[s.Floor] = false
		}
	}
	for _, i := range l.reader.mounted {
		s := &l.links[i]
		if _, known := has[s.Floor]; known || s.Root != l.mount {
			continue
		}
		var err error
		if has[s.Floor], err = hasKeys(l.fallbackPath(s.Floor), s.Floor == l.mount); err != nil {
			return nil, err
		}
	}
	return has, nil
}

// fallbackPath is where a path below the volumes is in the fallback.
func (l *Linker) fallbackPath(p string) string {
	return filepath.Join(l.fallback, strings.TrimPrefix(p, l.mount))
}

// hasKeys reports whether a directory is a volume. In the one of all volumes only
// files count.
func hasKeys(dir string, top bool) (bool, error) {
	v, err := openVolume(dir, false)
	if err != nil || v.root == nil {
		return false, err
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

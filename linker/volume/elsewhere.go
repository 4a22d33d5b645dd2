package volume

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"confit/linker/lines"
)

// ErrNotTried says that a directory holds nothing of what the links name.
var ErrNotTried = errors.New("it has none of the volumes that the lines name: lay it out as --volumes is, DIR/VOLUME/KEY")

// InTry is a reader whose sources of the volumes that a directory has lead there. An atomic
// volume counts even if it is empty, a plain one if it holds anything; with atomic only the
// former are looked for. mount is the directory of all volumes, absolute as dir is. It is
// [ErrNotTried] if there are none.
func (rd *Reader) InTry(mount, dir string, atomic bool) (*Reader, error) {
	return rd.elsewhere(mount, dir, ErrNotTried, func(_, there *lines.Line) (bool, error) {
		if _, found := findVolume(there); found || atomic {
			return found, nil
		}
		return hasKeys(there.Floor, there.Floor == dir)
	})
}

// elsewhere is a reader whose sources lead to a directory that is laid out like mount, as far as
// has says so of a line, as it is and as it would be there. The error is none if it says so of no
// line.
func (rd *Reader) elsewhere(mount, dir string, none error, has func(s, there *lines.Line) (bool, error)) (*Reader, error) {
	moving := *rd
	moving.Links, moving.atomic = slices.Clone(rd.Links), slices.Clone(rd.atomic)
	for _, i := range rd.Mounted {
		s, there := &rd.Links[i], &moving.Links[i]
		if s.Root != mount {
			continue
		}
		there.Base, there.Floor, there.Ceiling, there.InFallback = moved(s.Base, mount, dir), moved(s.Floor, mount, dir), dir, true
		switch leads, err := has(s, there); {
		case err != nil:
			return nil, err
		case !leads:
			*there = *s
		default:
			moving.atomic[i] = ""
			if !slices.Contains(moving.fallback, there.Floor) {
				moving.fallback = append(moving.fallback, there.Floor)
			}
		}
	}
	if len(moving.fallback) == 0 {
		return nil, none
	}
	return &moving, nil
}

// moved is where a path below the volumes is in another directory.
func moved(p, mount, dir string) string {
	return filepath.Join(dir, strings.TrimPrefix(p, mount))
}

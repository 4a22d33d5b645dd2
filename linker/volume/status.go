package volume

import (
	"cmp"
	"path"
	"slices"
	"strings"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/watch"
)

// Status is what a volume was found to be, and what the links take of it.
type Status struct {
	Path    string // absolute
	Kind    string // atomic, plain, or missing: nothing is mounted there, or its ..data is gone
	Watched string // inotify, or polling: only a new look finds a change
	Mounted string // what ..data points at; "" for a plain one
	Prefix  string // where its keys stand in a generation; "": right in it
	// the keys that links take, by their paths in the volume, in order, each once: as path.Match
	// has them, or DIR/ for each below
	Patterns []string
}

// Status describes the volumes of a look. dirs are its [Reading.Dirs], which w watches by now, as
// far as they can be.
func (r *Reading) Status(w *watch.Changes, dirs []string) (list []Status) {
	for _, v := range r.volumes {
		s := Status{Path: v.dir, Kind: v.kind(), Watched: v.watched(w, dirs), Mounted: v.data}
		for _, link := range r.from.Mounted {
			if r.of[link.Index] == v {
				s.Prefix = below(v.dir, link.Root)
				s.Patterns = append(s.Patterns, patternIn(v.dir, link))
			}
		}
		slices.Sort(s.Patterns)
		s.Patterns = slices.Compact(s.Patterns)
		list = append(list, s)
	}
	return list
}

// patternIn is which keys of a volume a link takes. For one key it needs no memory, as a part of
// the source: it may be 10,000.
func patternIn(dir string, s *lines.Line) string {
	base := below(s.Base, dir)
	switch s.Kind {
	case lines.OneKey:
		return base
	case lines.Glob:
		return path.Join(base, s.Pattern)
	}
	return cmp.Or(base, ".") + "/"
}

// below is the path of what is in a directory, from there; "" is the directory itself.
func below(p, dir string) string { return strings.TrimPrefix(strings.TrimPrefix(p, dir), "/") }

func (v *volume) kind() string {
	switch {
	case v.atomic && v.data != "":
		return "atomic"
	case v.root != nil:
		return "plain"
	}
	return "missing"
}

// watched reports whether inotify watches all of the volume's directories. A watch ends with its
// directory.
func (v *volume) watched(w *watch.Changes, dirs []string) string {
	if files.Missing(v.dir) || slices.ContainsFunc(dirs,
		func(dir string) bool { return files.Inside(dir, v.dir) && !w.Watches(dir) && !files.Missing(dir) }) {
		return "polling"
	}
	return "inotify"
}

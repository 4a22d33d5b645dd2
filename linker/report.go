package linker

import "slices"

// VolumeReport is what a volume was found to be.
type VolumeReport struct {
	Path    string
	Kind    string // atomic, plain, or missing: nothing is mounted there, or its ..data is gone
	Watched string // inotify, or polling: nothing but a new look finds a change
	Mounted string // what ..data points at; "" for a plain one
}

// Volumes is what the last look found, in the order of the links.
func (l *Linker) Volumes() []VolumeReport { return l.volumes }

// report describes the volumes of a look, whose directories are watched by now
// as far as they can be.
func (r *reading) report(w *watcher, dirs []string) []VolumeReport {
	var list []VolumeReport
	known := map[string]bool{}
	for _, v := range r.of {
		if !known[v.dir] {
			known[v.dir] = true
			list = append(list, VolumeReport{Path: v.dir, Kind: v.kind(), Watched: v.watched(w, dirs), Mounted: v.data})
		}
	}
	return list
}

func (v *volume) kind() string {
	switch {
	case v.atomic:
		return "atomic"
	case v.root != nil:
		return "plain"
	}
	return "missing"
}

// watched looks for the volume's directories among those that inotify watches.
// A watch goes away with its directory.
func (v *volume) watched(w *watcher, dirs []string) string {
	for _, dir := range dirs {
		if inside(dir, v.dir) && !slices.Contains(w.dirs, dir) && !missing(dir) {
			return "polling"
		}
	}
	if missing(v.dir) {
		return "polling"
	}
	return "inotify"
}

// Keys is the SHA-256, in 64 digits, of each key of the accepted generation, by
// its path in the generation. The map is the caller's.
func (l *Linker) Keys() map[string]string {
	if l.live == nil {
		return nil
	}
	sums := make(map[string]string, len(l.live.files))
	for path, f := range l.live.files {
		sums[path] = f.sum.Hex()
	}
	return sums
}

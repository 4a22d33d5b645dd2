package volume

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/mounts"
	"confit/linker/statedir"
)

// maxSize is how many bytes of keys a generation may hold.
const maxSize = 64 << 20

// Reader looks at the volumes and reads the keys of their links.
type Reader struct {
	*files.Copier
	Links     []*lines.Line // see [NewReader]
	Mounted   []*lines.Line // those whose keys come from volumes: the others aren't looked for
	Rendered  []*lines.Line // those whose keys the renderer makes
	state     *statedir.Dir // where copies go
	AllowDisk bool          // keys that live in memory may be copied to a disk
	MaxSize   int64         // how many bytes of keys a generation may hold

	once   map[string]bool // directories that held ..data: without it they were torn down
	groups map[uint32]bool // whether copies can be given to a group, if that was tried
}

// NewReader makes one for the keys of links that has seen nothing yet. state is where copies go.
// allowDisk says that keys which live in memory may be copied to a disk.
func NewReader(copier *files.Copier, links []*lines.Line, state *statedir.Dir, allowDisk bool) *Reader {
	rd := &Reader{
		Copier: copier, Links: links, state: state, AllowDisk: allowDisk, MaxSize: maxSize,
		once: map[string]bool{}, groups: map[uint32]bool{},
	}
	for _, s := range links {
		if s.Rendered {
			rd.Rendered = append(rd.Rendered, s)
		} else {
			rd.Mounted = append(rd.Mounted, s)
		}
	}
	return rd
}

// Reading is one look at all volumes.
type Reading struct {
	from    *Reader
	volumes []*volume
	of      []*volume // the volume of each line
	// by where it is looked for, and the floor: a thousand links to one directory ask once
	found map[[2]string]*volume
	// of the plain volumes; once they were read, of all. A key is there for each line that asks for
	// it
	Keys        []Key
	Fingerprint Fingerprint
	wrong       []error
	held        map[lines.Key][]byte // small keys that were hashed and aren't written yet
	heldSize    int64
	began       unix.Timespec // by the clock that the kernel sets the times of files from
}

func (rd *Reader) reading() *Reading {
	return &Reading{from: rd, of: make([]*volume, len(rd.Links)), found: map[[2]string]*volume{},
		held: map[lines.Key][]byte{}}
}

// Look opens the volumes, which are to be closed, and takes their fingerprint: of an atomic volume
// the directory behind ..data, of a plain one what stat says of each key. It reads no key.
func (rd *Reader) Look() (*Reading, error) {
	r := rd.reading()
	err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &r.began)
	if err != nil {
		return nil, fmt.Errorf("cannot read the clock: %w", err)
	}
	for _, s := range rd.Mounted {
		if err == nil {
			err = r.collect(r.open(s))
		}
	}
	if err == nil {
		err = r.expand(rd.Mounted, false)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	r.Fingerprint = r.fingerprint()
	return r, nil
}

// collect takes the error of an invalid volume or key. It returns any other one.
func (r *Reading) collect(err error) error {
	invalid, ok := errors.AsType[*files.Invalid](err)
	if ok {
		r.wrong, err = append(r.wrong, invalid.Unwrap()), nil
	}
	return err
}

// open opens the volume of a line, once for all its lines. One in memory is refused if generations
// aren't, also if empty.
func (r *Reading) open(s *lines.Line) error {
	v, err := r.volume(s)
	r.of[s.Index] = v
	if err != nil || v.root == nil {
		return err
	}
	for dir := s.SearchFrom(); !v.atomic && dir != v.dir && files.Inside(dir, v.dir); dir = filepath.Dir(dir) {
		v.dirs = append(v.dirs, dir) // those that are missing may come one by one
	}
	if v.mirrored {
		v.dirs = append(v.dirs, filepath.Join(v.dir, v.data))
	}
	v.inFallback = v.inFallback || s.InFallback // a path may lead there, too
	if s.Direct || v.copied {
		return nil
	}
	v.copied = true
	return r.checkOffDisk(v.root.Raw(), &v.root.St, v, "")
}

// volume is what a link's volume holds now. One that was atomic stays that: without its ..data it
// was torn down.
func (r *Reading) volume(s *lines.Line) (v *volume, err error) {
	at := [2]string{s.SearchFrom(), s.Floor}
	if v := r.found[at]; v != nil {
		return v, nil
	}
	dir, atomic := findVolume(s)
	if !atomic {
		dir, atomic = nearest(s, func(dir string) bool { return r.from.once[dir] })
	}
	known := slices.IndexFunc(r.volumes, func(v *volume) bool { return v.dir == dir && v.atomic == atomic })
	if known >= 0 {
		v = r.volumes[known]
	} else {
		v, err = openVolume(dir, atomic)
		r.volumes = append(r.volumes, v)
		if err == nil && atomic {
			r.from.once[dir] = true
		}
	}
	r.found[at] = v
	return v, err
}

// expand lists the keys of those links whose volumes are swapped, or changed file by file.
func (r *Reading) expand(links []*lines.Line, swapped bool) error {
	for _, s := range links {
		v := r.of[s.Index]
		if v.swapped() != swapped || v.atomic && v.root == nil { // of which the error is known
			continue
		}
		w := walk{Reading: r, s: s, v: v}
		if err := r.collect(w.expand()); err != nil {
			return err
		}
	}
	return nil
}

// FirstKeys lists the keys in the order of their paths, each path once. It sorts paths: to sort the
// keys themselves would need 20 KB of code for their type.
func (r *Reading) FirstKeys() []*Key {
	first := make(map[lines.Key]int, len(r.Keys))
	for i, k := range slices.Backward(r.Keys) {
		first[k.Path] = i
	}
	keys := make([]*Key, 0, len(first))
	for _, path := range files.SortedKeys(first) {
		keys = append(keys, &r.Keys[first[path]])
	}
	return keys
}

// checkOffDisk refuses a key that lives in memory if the generations don't, or its volume: "". It
// asks once for each device of a volume, as a Secret may be mounted below a directory on a disk,
// and a link or ..data may lead to another file system. If fstatfs(2) is refused, nobody knows, and
// a Secret is not copied to a disk on a guess. What may live in memory counts as that.
func (r *Reading) checkOffDisk(f files.Raw, st *files.Stat, v *volume, key string) error {
	state := r.from.state
	if r.from.AllowDisk || state.Memory {
		return nil
	}
	device := uint64(st.Dev) // of another width on each platform
	is, known := v.memory[device]
	if !known {
		var system unix.Statfs_t
		if err := unix.Fstatfs(int(f), &system); err != nil {
			return fmt.Errorf(
				"cannot tell whether volume %q is memory-backed: fstatfs: %w; if it may be copied to a disk, add --allow-disk", v.dir, err)
		}
		switch {
		case files.MemoryBacked(system):
			is = "is memory-backed"
		case files.MayBeMemory(system):
			is = "may be memory-backed (9p doesn't tell)"
		}
		v.memory[device] = is
	}
	if is == "" {
		return nil
	}
	where := v.dir
	if key != "" { // it may be mounted below the volume
		where = cmp.Or(mounts.Point(files.Resolver{}.Dir(filepath.Join(v.dir, v.data, key))), where)
	}
	return fmt.Errorf("cannot stage volume %q on disk: it %s and state directory %q is not\n%s\n%w",
		where, is, state.Path, statedir.MountHint(state.Path, "{medium: Memory}"), errOnDisk)
}

// errOnDisk ends the error of what lives in memory and would get to a disk.
var errOnDisk = errors.New("or accept it with --allow-disk")

// Dirs lists the directories whose events are hints: volumes and, in plain ones, directories where
// keys are or may come.
func (r *Reading) Dirs() (dirs []string) {
	for _, v := range r.volumes {
		dirs = append(append(dirs, v.dir), v.dirs...)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// Close closes the volumes.
func (r *Reading) Close() {
	for _, v := range r.volumes {
		v.root.Close()
	}
}

package volume

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/statedir"
)

// Reader looks at the volumes and reads the keys of their links.
type Reader struct {
	*files.Copier
	Links     []lines.Line  // see [NewReader]
	Mounted   []int         // the links whose keys come from volumes, by index: the others aren't looked for
	Rendered  []int         // those whose keys the renderer makes
	state     *statedir.Dir // where copies go
	AllowDisk bool          // keys that live in memory may be copied to a disk

	once     map[string]bool // directories that held ..data: without it they were torn down
	groups   map[uint32]bool // whether copies can be given to a group, if that was tried
	fallback []string        // volumes of the fallback, if that is what it reads
}

// NewReader makes one for the keys of links that has seen nothing yet. state is where copies
// go. allowDisk says that keys which live in memory may be copied to a disk.
func NewReader(copier *files.Copier, links []lines.Line, state *statedir.Dir, allowDisk bool) *Reader {
	rd := &Reader{
		Copier: copier, Links: links, state: state, AllowDisk: allowDisk,
		once: map[string]bool{}, groups: map[uint32]bool{},
	}
	for i := range links {
		if links[i].Rendered {
			rd.Rendered = append(rd.Rendered, i)
		} else {
			rd.Mounted = append(rd.Mounted, i)
		}
	}
	return rd
}

// Reading is one look at all volumes.
type Reading struct {
	from        *Reader
	volumes     []*volume
	of          []*volume             // the volume of each link
	found       map[[2]string]*volume // by where it is looked for, and the floor: a thousand links to one directory ask once
	Keys        []Key                 // of the plain volumes; once they were read, of all. A key is there for each line that asks for it
	Fingerprint Fingerprint
	wrong       []error
	held        map[lines.Key][]byte // small keys that were hashed and aren't written yet
	heldSize    int64
	began       unix.Timespec // by the clock that the kernel sets the times of files from
}

// Look opens the volumes, which are to be closed, and takes their fingerprint: of an atomic volume the
// directory behind ..data, of a plain one what stat says of each key. It reads
// no key.
func (rd *Reader) Look() (*Reading, error) {
	r := &Reading{from: rd, of: make([]*volume, len(rd.Links)), found: map[[2]string]*volume{}}
	if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &r.began); err != nil {
		return nil, fmt.Errorf("cannot read the clock: %w", err)
	}
	for _, i := range rd.Mounted {
		if err := r.open(i); err != nil && !r.collectInvalid(err) {
			r.Close()
			return nil, err
		}
	}
	err := rd.checkVolumesOffDisk(r.volumes)
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

// collectInvalid collects the error of an invalid volume or key. It reports false
// for any other error.
func (r *Reading) collectInvalid(err error) bool {
	invalid, ok := errors.AsType[*files.Invalid](err)
	if !ok {
		return false
	}
	r.wrong = append(r.wrong, invalid.Unwrap())
	return true
}

// open finds the volume of link i and opens it, once for all of its links.
func (r *Reading) open(i int) error {
	s := &r.from.Links[i]
	v, err := r.volume(s)
	r.of[i] = v
	if err != nil || v.root == nil {
		return err
	}
	v.once = r.from.once
	v.copied = v.copied || !s.Direct
	for dir := s.SearchFrom(); !v.atomic && dir != v.dir && files.Inside(dir, v.dir); dir = filepath.Dir(dir) {
		v.dirs = append(v.dirs, dir) // those that are missing may come one by one
	}
	return nil
}

// volume is what a link's volume holds now.
func (r *Reading) volume(s *lines.Line) (v *volume, err error) {
	at := [2]string{s.SearchFrom(), s.Floor}
	if v := r.found[at]; v != nil {
		return v, nil
	}
	dir, atomic := findVolume(s)
	former, torn := nearest(s, func(dir string) bool { return r.from.once[dir] })
	known := slices.IndexFunc(r.volumes, func(v *volume) bool { return v.dir == dir && v.atomic == atomic })
	switch {
	case torn && !atomic:
		v, err = &volume{dir: former, torn: true}, tornDownError(former)
	case known >= 0:
		v = r.volumes[known]
	default:
		v, err = openVolume(dir, atomic)
		r.volumes = append(r.volumes, v)
		if err == nil && atomic {
			r.from.once[dir] = true
		}
	}
	r.found[at] = v
	return v, err
}

// expand lists the keys of those links whose volumes are atomic, or plain.
func (r *Reading) expand(links []int, atomic bool) error {
	for _, i := range links {
		v := r.of[i]
		if v.atomic != atomic || v.atomic && v.root == nil || v.torn { // of which the error is known
			continue
		}
		keys, err := expand(i, &r.from.Links[i], v)
		r.Keys = append(r.Keys, keys...)
		if err != nil && !r.collectInvalid(err) {
			return err
		}
	}
	return nil
}

// FirstKeys lists the keys in the order of their paths, each path once.
func (r *Reading) FirstKeys() []Key {
	first := make(map[lines.Key]int, len(r.Keys)) // sorting the keys themselves would need 20 KB of code for their type
	for i := range r.Keys {
		if _, known := first[r.Keys[i].Path]; !known {
			first[r.Keys[i].Path] = i
		}
	}
	keys := make([]Key, 0, len(first))
	for _, path := range files.SortedKeys(first) {
		keys = append(keys, r.Keys[first[path]])
	}
	return keys
}

// checkVolumesOffDisk refuses volumes that live in memory if the generations
// don't. A volume without keys counts, too.
func (rd *Reader) checkVolumesOffDisk(volumes []*volume) error {
	for _, v := range volumes {
		if v.root == nil || !v.copied {
			continue
		}
		dir := files.Raw(v.self.Fd())
		st, err := dir.Stat()
		if err != nil {
			return fmt.Errorf("cannot open volume %q: %w", v.dir, files.Cause(err))
		}
		if err := rd.checkOffDisk(dir, &st, v, func() string { return v.dir }); err != nil {
			return err
		}
	}
	return nil
}

func (rd *Reader) checkOffDisk(f files.Raw, st *unix.Stat_t, v *volume, where func() string) error {
	if rd.AllowDisk || rd.state.Memory {
		return nil
	}
	memory, err := v.onMemory(f, uint64(st.Dev))
	if err != nil || !memory {
		return err
	}
	return &onDiskError{volume: where(), state: rd.state.Path}
}

// Dirs lists the directories whose events are hints: each volume and, in a
// plain one, each directory where keys are or may come.
func (r *Reading) Dirs() []string {
	var dirs []string
	for _, v := range r.of {
		if v != nil {
			dirs = append(dirs, v.dir)
		}
	}
	for _, v := range r.volumes {
		dirs = append(dirs, v.dirs...)
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// Close closes the volumes.
func (r *Reading) Close() {
	for _, v := range r.volumes {
		v.close()
	}
}

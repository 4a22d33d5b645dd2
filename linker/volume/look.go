package volume

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

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
	state     *statedir.Dir // where copies go
	AllowDisk bool          // keys that live in memory may be copied to a disk

	atomic   []string        // by link: its volume, once that was seen to be atomic
	nested   map[string]bool // directories of plain volumes that once held ..data
	groups   map[uint32]bool // whether copies can be given to a group, if that was tried
	fallback []string        // volumes of the fallback, if that is what it reads
}

// NewReader makes one for the keys of links that has seen nothing yet. state is where copies
// go. allowDisk says that keys which live in memory may be copied to a disk.
func NewReader(copier *files.Copier, links []lines.Line, state *statedir.Dir, allowDisk bool) *Reader {
	rd := &Reader{
		Copier: copier, Links: links, state: state, AllowDisk: allowDisk,
		atomic: make([]string, len(links)), nested: map[string]bool{}, groups: map[uint32]bool{},
	}
	for i := range links {
		if !links[i].Rendered {
			rd.Mounted = append(rd.Mounted, i)
		}
	}
	return rd
}

// Reading is one look at all volumes.
type Reading struct {
	from        *Reader
	volumes     []*volume
	of          []*volume // the volume of each link
	found       map[search]foundVolume
	Keys        []Key // of the plain volumes; once they were read, of all. A key is there for each line that asks for it
	Fingerprint Fingerprint
	wrong       []error
	held        map[lines.Key][]byte // small keys that were hashed and aren't written yet
	heldSize    int64
	began       unix.Timespec // by the clock that the kernel sets the times of files from
}

// search is what a link's volume depends on. A thousand links to one directory
// ask the file system once.
type search struct{ from, floor string }

type foundVolume struct {
	dir    string
	atomic bool
}

// Look opens the volumes, which are to be closed, and takes their fingerprint: of an atomic volume the
// directory behind ..data, of a plain one what stat says of each key. It reads
// no key.
func (rd *Reader) Look() (*Reading, error) {
	r := &Reading{from: rd, of: make([]*volume, len(rd.Links)), found: map[search]foundVolume{}}
	if err := unix.ClockGettime(unix.CLOCK_REALTIME_COARSE, &r.began); err != nil {
		return nil, fmt.Errorf("cannot read the clock: %w", err)
	}
	for _, i := range rd.Mounted {
		if err := r.open(rd, i); err != nil && !r.keepInvalid(err) {
			r.Close()
			return nil, err
		}
	}
	err := rd.checkVolumesOffDisk(r.volumes)
	if err == nil {
		err = r.expand(rd, false)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	r.Fingerprint = r.fingerprint()
	return r, nil
}

// keepInvalid collects the error of an invalid volume or key. It reports false
// for any other error.
func (r *Reading) keepInvalid(err error) bool {
	invalid, ok := errors.AsType[*files.Invalid](err)
	if !ok {
		return false
	}
	r.wrong = append(r.wrong, invalid.Unwrap())
	return true
}

// open finds the volume of link i and opens it, once for all of its links.
func (r *Reading) open(rd *Reader, i int) error {
	v, err := r.volume(rd, i)
	r.of[i] = v
	if err == nil && v.atomic {
		rd.atomic[i] = v.dir
	}
	if err != nil || v.root == nil {
		return err
	}
	v.nested = rd.nested
	v.watchAbove(rd.Links[i].SearchFrom())
	v.copied = v.copied || !rd.Links[i].Direct
	return nil
}

// watchAbove makes the directories between a plain volume and a link's keys
// such whose events are hints: those that are missing may come one by one.
func (v *volume) watchAbove(dir string) {
	for ; !v.atomic && dir != v.dir && files.Inside(dir, v.dir); dir = filepath.Dir(dir) {
		v.dirs = append(v.dirs, dir)
	}
}

func (r *Reading) volume(rd *Reader, i int) (*volume, error) {
	f := r.findVolume(&rd.Links[i])
	if former := rd.atomic[i]; former != "" && !f.atomic {
		return &volume{dir: former}, tornDownError(former)
	}
	for _, v := range r.volumes {
		if v.dir == f.dir && v.atomic == f.atomic {
			return v, nil
		}
	}
	v, err := openVolume(f.dir, f.atomic)
	r.volumes = append(r.volumes, v)
	return v, err
}

func (r *Reading) findVolume(s *lines.Line) foundVolume {
	key := search{s.SearchFrom(), s.Floor}
	f, known := r.found[key]
	if !known {
		f.dir, f.atomic = findVolume(s)
		r.found[key] = f
	}
	return f
}

// expand lists the keys of the atomic or of the plain volumes.
func (r *Reading) expand(rd *Reader, atomic bool) error {
	for _, i := range rd.Mounted {
		v := r.of[i]
		if v.atomic != atomic || (v.atomic && v.root == nil) || rd.tornDown(i, v) {
			continue
		}
		keys, err := expand(i, &rd.Links[i], v)
		r.Keys = append(r.Keys, keys...)
		if err != nil && !r.keepInvalid(err) {
			return err
		}
	}
	return nil
}

// tornDown reports a volume that was atomic and no longer is. That was said of
// the volume, so it isn't said of its keys.
func (rd *Reader) tornDown(i int, v *volume) bool { return rd.atomic[i] != "" && !v.atomic }

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
// plain one, which isn't swapped as a whole, each directory where keys are or
// may come.
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

// fingerprint is equal for two looks if nothing was swapped in between.
func (r *Reading) fingerprint() Fingerprint {
	var b strings.Builder
	fmt.Fprintln(&b, len(r.volumes)) // without volumes, too, it isn't empty
	for _, v := range r.volumes {
		fmt.Fprintf(&b, "%s %q", v.dir, v.data)
		if v.root != nil {
			v.print = v.identity()
			b.WriteString(v.print)
		}
		b.WriteByte('\n')
	}
	for _, k := range r.Keys {
		fmt.Fprintf(&b, "%s%s\n", k.Path, identity(k.info, true))
	}
	for _, err := range r.wrong {
		fmt.Fprintln(&b, err)
	}
	return Fingerprint(b.String())
}

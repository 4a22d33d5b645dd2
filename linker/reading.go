package linker

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// reading is one look at all volumes.
type reading struct {
	volumes []*volume
	of      []*volume // the volume of each link
	keys    []key
	print   string // what the volumes looked like, cheap to compare
	wrong   []error
}

// look opens the volumes and takes their fingerprint. That of an atomic volume
// is the directory behind ..data; of a plain one, what stat says of each key.
// Nothing is read yet.
func (l *Linker) look() (*reading, error) {
	r := &reading{of: make([]*volume, len(l.links))}
	for i := range l.links {
		if err := r.open(l, i); err != nil && !r.note(err) {
			r.close()
			return nil, err
		}
	}
	if err := r.expand(l, false); err != nil {
		r.close()
		return nil, err
	}
	r.print = r.fingerprint()
	return r, nil
}

// note keeps an invalid volume or key for the report; other errors it refuses.
func (r *reading) note(err error) bool {
	var invalid *Invalid
	if !errors.As(err, &invalid) {
		return false
	}
	r.wrong = append(r.wrong, invalid.err)
	return true
}

// open finds the volume of link i and opens it, once for all of its links.
func (r *reading) open(l *Linker, i int) error {
	v, err := r.volume(l, i)
	r.of[i] = v
	if err == nil && v.atomic {
		l.atomic[i] = v.dir
	}
	if err == nil && v.memory && !l.links[i].Direct && !l.allowDisk && !l.state.memory {
		return &onDiskError{volume: v.dir, state: l.state.path}
	}
	return err
}

func (r *reading) volume(l *Linker, i int) (*volume, error) {
	dir, atomic := l.links[i].findVolume()
	if former := l.atomic[i]; former != "" && !atomic {
		return &volume{dir: former}, invalidf("volume %q lost its ..data link: the kubelet tears a volume down when it can't write it "+
			"(kubernetes#113242); recreate the pod if it doesn't come back", former)
	}
	for _, v := range r.volumes {
		if v.dir == dir && v.atomic == atomic {
			return v, nil
		}
	}
	v, err := openVolume(dir, atomic)
	r.volumes = append(r.volumes, v)
	return v, err
}

// expand lists the keys of the atomic or of the plain volumes.
func (r *reading) expand(l *Linker, atomic bool) error {
	for i := range l.links {
		v := r.of[i]
		if v.atomic != atomic || (v.atomic && v.root == nil) || l.torn(i, v) {
			continue
		}
		keys, err := expand(i, &l.links[i], v)
		r.keys = append(r.keys, keys...)
		if err != nil && !r.note(err) {
			return err
		}
	}
	return nil
}

// torn reports a volume that was atomic and no longer is: it was reported as a
// whole, so its keys aren't.
func (l *Linker) torn(i int, v *volume) bool { return l.atomic[i] != "" && !v.atomic }

// fingerprint is equal for two looks when nothing was swapped in between.
func (r *reading) fingerprint() string {
	var b strings.Builder
	for _, v := range r.volumes {
		fmt.Fprintf(&b, "%s %q", v.dir, v.data)
		if v.root != nil {
			if info, err := v.root.Stat("."); err == nil {
				b.WriteString(identity(info, v.atomic))
			}
		}
		b.WriteByte('\n')
	}
	for _, k := range r.keys {
		fmt.Fprintf(&b, "%s%s\n", k.path, identity(k.info, true))
	}
	for _, err := range r.wrong {
		fmt.Fprintln(&b, err)
	}
	return b.String()
}

// identity is what changes when a file is replaced or, if its times count,
// written to. A plain volume's own times don't count: other files may come and
// go in it.
func identity(info fs.FileInfo, times bool) string {
	st := info.Sys().(*syscall.Stat_t)
	if !times {
		return fmt.Sprintf(" %d:%d", st.Dev, st.Ino)
	}
	return fmt.Sprintf(" %d:%d %d %v %v", st.Dev, st.Ino, st.Size, st.Mtim, st.Ctim)
}

func (r *reading) close() {
	for _, v := range r.volumes {
		v.close()
	}
}

// dirs lists the directories whose events are hints: each volume and, as a
// plain one isn't swapped as a whole, each directory of its keys.
func (r *reading) dirs() []string {
	var dirs []string
	for _, v := range r.of {
		dirs = append(dirs, v.dir)
	}
	for _, k := range r.keys {
		if !k.vol.atomic {
			dirs = append(dirs, filepath.Join(k.vol.dir, filepath.Dir(k.name)))
		}
	}
	slices.Sort(dirs)
	return slices.Compact(dirs)
}

// Hash is a SHA-256 of a generation: names, modes and bytes of its keys.
type Hash [sha256.Size]byte

// String is the hash's first twelve digits, enough for a person to tell two
// apart.
func (h Hash) String() string { return hex.EncodeToString(h[:6]) }

// file is what is remembered of a key once it was read.
type file struct {
	sum    Hash
	mode   fs.FileMode
	owner  uint32
	group  uint32
	direct bool
	links  []int // the links that ask for it
}

// errMoved says that the volumes changed while they were read.
var errMoved = errors.New("the volume changed while it was read")

// hashKeys reads every key once and returns what is known of each.
func (l *Linker) hashKeys(r *reading) (map[string]file, error) {
	if err := l.checkSize(r.keys); err != nil {
		return nil, err
	}
	files := make(map[string]file, len(r.keys))
	for _, k := range r.keys {
		s := &l.links[k.link]
		f, known := files[k.path]
		if !known {
			sum, err := l.copyKey(k, io.Discard)
			if err != nil {
				return nil, s.classify(err)
			}
			st := k.info.Sys().(*syscall.Stat_t)
			f = file{sum: sum, mode: k.info.Mode().Perm() &^ 0o222, owner: st.Uid, group: st.Gid, direct: true}
		}
		f.direct = f.direct && s.Direct
		f.links = append(f.links, k.link)
		files[k.path] = f
	}
	return files, nil
}

// checkSize refuses more than a generation may hold. A ConfigMap or Secret has
// at most 1 MiB: more is a mistake, or belongs under the option direct.
func (l *Linker) checkSize(keys []key) error {
	size := int64(0)
	counted := map[string]bool{}
	for _, k := range keys {
		if l.links[k.link].Direct || counted[k.path] {
			continue
		}
		counted[k.path] = true
		if size += k.info.Size(); size > l.sizeLimit {
			return invalidf("the linked keys hold more than %d MiB, with key %q of volume %q: link fewer, or give the large ones the option direct",
				l.sizeLimit>>20, k.name, k.vol.dir)
		}
	}
	return nil
}

// copyKey copies a key's bytes to w and returns their hash. The key is known
// to be a regular file; O_NONBLOCK is for one that was made a FIFO since.
func (l *Linker) copyKey(k key, w io.Writer) (Hash, error) {
	f, err := k.vol.root.OpenFile(k.name, unix.O_RDONLY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		return Hash{}, fmt.Errorf("cannot read key %q in volume %q: %w", k.name, k.vol.dir, cause(err))
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return Hash{}, errMoved
	}
	h := sha256.New()
	// Wrapped, as *os.File would bring a buffer of its own to each copy.
	from := struct{ io.Reader }{f}
	if _, err := io.CopyBuffer(io.MultiWriter(h, w), from, l.buffer); err != nil {
		return Hash{}, err
	}
	return Hash(h.Sum(nil)), nil
}

// hashOf is the content hash of a generation.
func hashOf(files map[string]file) Hash {
	h := sha256.New()
	for _, path := range sortedKeys(files) {
		f := files[path]
		fmt.Fprintf(h, "%q %o %x\n", path, f.mode, f.sum)
	}
	return Hash(h.Sum(nil))
}

package volume

import (
	"crypto/sha256"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
)

// Read checks the keys of the volumes and reads each once. It returns what is known of each.
// The error is an [*files.Invalid] if the volumes give no candidate.
func (r *Reading) Read() (map[lines.Key]generation.File, error) {
	if err := r.expand(r.from.Mounted, true); err != nil {
		return nil, err
	}
	if err := r.checkHashes(); err != nil {
		return nil, err
	}
	if err := files.JoinInvalid(r.wrong); err != nil {
		return nil, err
	}
	return r.Hash()
}

// OfFallback reports that some of the keys come from the fallback.
func (r *Reading) OfFallback() bool { return len(r.from.fallback) > 0 }

// Hash reads every key once and returns what is known of each, as far as that is known
// before a copy is written.
func (r *Reading) Hash() (map[lines.Key]generation.File, error) {
	if err := r.from.checkSize(r.Keys); err != nil {
		return nil, err
	}
	files := make(map[lines.Key]generation.File, len(r.Keys))
	for _, k := range r.Keys {
		f, known := files[k.Path]
		if !known {
			st := k.info.Sys().(*syscall.Stat_t)
			f = generation.File{Mode: k.info.Mode().Perm(), Owner: st.Uid, Group: st.Gid, Direct: true}
			if err := r.from.LimitMode(&f); err != nil {
				return nil, err
			}
		}
		f.Direct = f.Direct && r.from.Links[k.Link].Direct
		f.Links = append(f.Links, k.Link)
		files[k.Path] = f
	}
	left := r.from.MaxSize
	for _, k := range r.Keys {
		f := files[k.Path]
		if f.Links[0] != k.Link {
			continue // read for another link
		}
		var err error
		if f.Sum, f.Size, err = r.hashKey(k, f.Direct, &left); err != nil {
			return nil, classify(&r.from.Links[k.Link], err)
		}
		files[k.Path] = f
	}
	return files, nil
}

// ReadSome reads what can be read of keys that make no generation.
func (r *Reading) ReadSome() map[lines.Key]generation.File {
	files := map[lines.Key]generation.File{}
	left := r.from.MaxSize
	for _, k := range r.FirstKeys() {
		direct, rest := r.from.Links[k.Link].Direct, left
		if !direct && k.info.Size() > left {
			continue
		}
		if sum, _, err := r.hashKey(k, direct, &rest); err == nil {
			files[k.Path], left = generation.File{Sum: sum, Links: []int{k.Link}}, rest
		}
	}
	return files
}

// hashKey reads a key, and holds it if it is small. left is how many bytes the
// keys to be copied may still have. The limit holds for what is read, too, as a
// key may have grown since it was looked at. A direct key may be large, but not
// grow for ever.
func (r *Reading) hashKey(k Key, direct bool, left *int64) (files.Hash, int64, error) {
	f, st, err := k.open()
	if err != nil {
		return files.Hash{}, 0, err
	}
	defer f.Close()
	if direct {
		return r.from.hashDirect(k, f)
	}
	if err := r.from.checkKeyOffDisk(k, f, st); err != nil {
		return files.Hash{}, 0, err
	}
	sum, n, err := r.hashCopied(k, f, st.Size, *left)
	if *left -= n; *left < 0 {
		err = r.from.tooLargeError(k)
	}
	return sum, n, err
}

func (rd *Reader) hashDirect(k Key, f files.Raw) (files.Hash, int64, error) {
	limit := min(max(k.info.Size(), rd.MaxSize), math.MaxInt64-1)
	sum, n, err := rd.CopyUpTo(f, io.Discard, limit)
	if n > limit {
		err = files.ErrMoved
	}
	return sum, n, err
}

// What is small is held from the hash until it is written, in bytes: the key,
// and all keys of a reading. A ConfigMap or Secret has a MiB.
const (
	maxHeld    = 4 << 10
	maxAllHeld = 1 << 20
)

// hashCopied hashes a key that will be copied. A small one needs one read(2), as a
// rule: asked for one byte more than it has, it shows its end.
func (r *Reading) hashCopied(k Key, f files.Raw, size, left int64) (files.Hash, int64, error) {
	if size > min(maxHeld, left, maxAllHeld-r.heldSize) {
		return r.from.CopyUpTo(f, io.Discard, left)
	}
	held := make([]byte, size+1)
	n, err := f.Read(held)
	if err != nil && err != io.EOF {
		return files.Hash{}, 0, err
	}
	if int64(n) != size { // it has grown, or its file system knows no sizes
		if err := f.Rewind(); err != nil {
			return files.Hash{}, 0, err
		}
		return r.from.CopyUpTo(f, io.Discard, left)
	}
	if r.held == nil {
		r.held = map[lines.Key][]byte{}
	}
	r.held[k.Path], r.heldSize = held[:n], r.heldSize+size
	return sha256.Sum256(held[:n]), size, nil
}

// checkSize refuses more than a generation may hold. A ConfigMap or Secret has
// at most 1 MiB. A larger key is a mistake, or needs the option direct.
func (rd *Reader) checkSize(keys []Key) error {
	left := rd.MaxSize
	counted := map[lines.Key]bool{}
	for _, k := range keys {
		if rd.Links[k.Link].Direct || counted[k.Path] {
			continue
		}
		counted[k.Path] = true
		if k.info.Size() > left {
			return rd.tooLargeError(k)
		}
		left -= k.info.Size()
	}
	return nil
}

func (rd *Reader) tooLargeError(k Key) error {
	return files.Invalidf("a generation would hold more than %d MiB, with key %q of volume %q: link or render less, or give a large key the option direct",
		rd.MaxSize>>20, k.name, k.vol.dir)
}

// Copy copies a key's bytes to w and returns their hash. It refuses a key that
// lives in memory and must not get to a disk.
func (r *Reading) Copy(k Key, w io.Writer, f generation.File) (files.Hash, error) {
	if held, ok := r.held[k.Path]; ok {
		delete(r.held, k.Path)
		_, err := w.Write(held)
		return f.Sum, err
	}
	in, st, err := k.open()
	if err != nil {
		return files.Hash{}, err
	}
	defer in.Close()
	if err := r.from.checkKeyOffDisk(k, in, st); err != nil {
		return files.Hash{}, err
	}
	sum, _, err := r.from.CopyUpTo(in, w, f.Size)
	return sum, err
}

// checkKeyOffDisk is checkOffDisk for an open key.
func (rd *Reader) checkKeyOffDisk(k Key, f files.Raw, st *unix.Stat_t) error {
	return rd.checkOffDisk(f, st, k.vol, func() string { return mountOf(filepath.Join(k.vol.dir, k.vol.data, k.name)) })
}

// open opens a key that was a regular file. O_NONBLOCK is for one that has
// become a FIFO since, and for one with a lease, fcntl(2) F_SETLEASE.
func (k Key) open() (files.Raw, *unix.Stat_t, error) {
	f, err := k.vol.openFile(k.name, unix.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return 0, nil, fmt.Errorf("cannot read key %q in volume %q: %w", k.name, k.vol.dir, files.Reason(err))
	}
	st, err := f.Stat()
	if err != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		f.Close()
		return 0, nil, files.ErrMoved
	}
	return f, &st, nil
}

// A copy is never more readable than its source: not while it is made, and not
// to confit's own group where the source's group can't be given.

// LimitMode takes from a file's mode what a copy can't have: nobody may write to it. The error is that of the state
// directory, with which it finds out.
func (rd *Reader) LimitMode(f *generation.File) error {
	f.Mode &^= 0o222
	group, others := f.Mode>>3&7, f.Mode&7
	if group&^others == 0 {
		return nil // the group may do no more than everybody else
	}
	gives, err := rd.canGive(f.Group)
	if !gives {
		f.Mode &^= (group &^ others) << 3
	}
	return err
}

// canGive finds out, once for each group, whether a file can be given to it.
func (rd *Reader) canGive(group uint32) (bool, error) {
	if gives, known := rd.groups[group]; known {
		return gives, nil
	}
	gives, err := rd.state.TryGive(group)
	if err != nil {
		return false, fmt.Errorf("cannot write to state directory %q: %w", rd.state.Path, files.Cause(err))
	}
	rd.groups[group] = gives
	return gives, nil
}

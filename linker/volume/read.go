package volume

import (
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math"
	"slices"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
)

// Read checks the keys of the volumes and reads each once. It returns what is known of each. The
// error is an [*files.Invalid] if the volumes give no candidate.
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
func (r *Reading) OfFallback() bool {
	return slices.ContainsFunc(r.volumes, func(v *volume) bool { return v.inFallback })
}

// Hash reads every key once and returns what is known of each, as far as that is known before a
// copy is written.
func (r *Reading) Hash() (map[lines.Key]generation.File, error) {
	files := make(map[lines.Key]generation.File, len(r.Keys))
	for _, k := range r.Keys {
		f, known := files[k.Path]
		if !known {
			f = generation.File{Mode: fs.FileMode(k.st.Mode).Perm(), Owner: k.st.Uid, Group: k.st.Gid, Direct: true}
		}
		f.Direct = f.Direct && k.Line.Direct
		f.Links = append(f.Links, k.Line.Index)
		files[k.Path] = f
	}
	left := r.from.MaxSize
	for _, k := range r.FirstKeys() {
		f := files[k.Path]
		err := r.from.LimitMode(&f)
		if err != nil {
			return nil, err
		}
		if f.Sum, f.Size, err = r.hashKey(k, f.Direct, &left); err != nil {
			return nil, classify(k.Line, err)
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
		rest := left
		if sum, _, err := r.hashKey(k, k.Line.Direct, &rest); err == nil {
			files[k.Path], left = generation.File{Sum: sum, Links: []int{k.Line.Index}}, rest
		}
	}
	return files
}

// hashKey reads a key, and holds it if it is small. left is how many bytes the keys to be copied
// may still have. The limit holds for what is read, too, as a key may have grown since it was
// looked at. A direct key may be large, but not grow.
func (r *Reading) hashKey(k *Key, direct bool, left *int64) (sum files.Hash, n int64, err error) {
	if !direct && k.st.Size > *left {
		return sum, 0, r.from.tooLargeError(k)
	}
	f, st, err := k.open()
	if err != nil {
		return sum, 0, err
	}
	defer f.Close()
	if direct {
		limit := min(max(k.st.Size, r.from.MaxSize), math.MaxInt64-1)
		sum, n, err = r.from.CopyUpTo(f, io.Discard, limit)
		if n > limit {
			err = files.ErrMoved
		}
		return sum, n, err
	}
	if err := r.checkOffDisk(f, st, k.vol, k.name); err != nil {
		return sum, 0, err
	}
	sum, n, err = r.hashCopied(k, f, st.Size, *left)
	if *left -= n; *left < 0 {
		err = r.from.tooLargeError(k)
	}
	return sum, n, err
}

// What is small is held from the hash until it is written: bytes of a key, and of all keys. A
// ConfigMap or Secret has a MiB.
const (
	maxHeld    = 4 << 10
	maxAllHeld = 1 << 20
)

// hashCopied hashes a key to be copied, and holds it if it is small.
func (r *Reading) hashCopied(k *Key, f files.Raw, size, left int64) (files.Hash, int64, error) {
	if size > min(maxHeld, left, maxAllHeld-r.heldSize) {
		return r.from.CopyUpTo(f, io.Discard, left)
	}
	var held bytes.Buffer
	sum, n, err := r.from.CopyUpTo(f, &held, size)
	switch {
	case n > size: // it has grown, or its file system knows no sizes
		return r.from.CopyUpTo(io.MultiReader(&held, f), io.Discard, left)
	case err == nil:
		r.held[k.Path] = held.Bytes()
		r.heldSize += n
	}
	return sum, n, err
}

// tooLargeError refuses more than a generation may hold: as a ConfigMap or Secret has 1 MiB at
// most, a larger key is a mistake, or needs the option direct.
func (rd *Reader) tooLargeError(k *Key) error {
	return files.Invalidf(
		"a generation would hold more than %d MiB, with key %q of volume %q: link or render less, or give a large key the option direct",
		rd.MaxSize>>20, k.name, k.vol.dir)
}

// Copy copies a key's bytes to w. They must be those that were hashed: else the error is
// files.ErrMoved. It refuses to get what lives in memory to a disk.
func (r *Reading) Copy(k *Key, w io.Writer, f generation.File) error {
	if held, ok := r.held[k.Path]; ok {
		delete(r.held, k.Path)
		_, err := w.Write(held)
		return err
	}
	in, st, err := k.open()
	if err != nil {
		return err
	}
	defer in.Close()
	if err := r.checkOffDisk(in, st, k.vol, k.name); err != nil {
		return err
	}
	sum, _, err := r.from.CopyUpTo(in, w, f.Size)
	if err == nil && sum != f.Sum {
		err = files.ErrMoved
	}
	return err
}

// open opens a key that was a regular file. O_NONBLOCK is for one that is a FIFO by now, or has a
// lease: fcntl(2) F_SETLEASE.
func (k *Key) open() (files.Raw, *files.Stat, error) {
	f, err := k.vol.openFile(k.name, unix.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return 0, nil, fmt.Errorf("cannot read key %q in volume %q: %w", k.name, k.vol.dir, files.Reason(err))
	}
	st, err := f.Stat()
	if !files.MayPass(err) && (err != nil || !st.IsRegular()) {
		err = files.ErrMoved
	}
	if err != nil {
		f.Close()
		return 0, nil, err
	}
	return f, &st, nil
}

// LimitMode takes from a file's mode what a copy can't have: nobody may write to it, and unless a
// line says mode, it is never more readable than its source, also not to confit's own group where
// the source's group can't be given. The error is that of the state directory, with which it finds
// out, once for each group.
//
// Programs take a key that others of its group may read from root, but not from their own user:
// postgres, ssh. Where confit isn't root the copy is its user's, so nobody else may read it.
func (rd *Reader) LimitMode(f *generation.File) error {
	said := rd.saidMode(f.Links)
	if said != 0 {
		f.Mode = said
	}
	f.Mode &^= 0o222
	group, others := f.Mode>>3&7, f.Mode&7
	f.Alone = files.Euid != 0 && said == 0 && others&4 == 0 && !f.Direct
	if group&^others == 0 {
		return nil // the group may do no more than everybody else
	}
	gives, known := rd.groups[f.Group]
	if !known {
		var err error
		if gives, err = rd.state.TryGive(f.Group); err != nil {
			return fmt.Errorf("cannot write to state directory %q: %w", rd.state.Path, err)
		}
		rd.groups[f.Group] = gives
	}
	if !gives {
		f.Mode &^= (group &^ others) << 3
	}
	return nil
}

// saidMode is the mode that lines give a file; 0: none does. Of several the strictest counts.
func (rd *Reader) saidMode(links []int) (said fs.FileMode) {
	for _, i := range links {
		switch mode := rd.Links[i].Mode; {
		case said == 0:
			said = mode
		case mode != 0:
			said &= mode
		}
	}
	return said
}

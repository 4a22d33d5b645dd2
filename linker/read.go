package linker

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/lines"
)

// hashKeys reads every key once and returns what is known of each.
func (rd *reader) hashKeys(r *reading) (map[lines.Key]generation.File, error) {
	if err := rd.checkSize(r.keys); err != nil {
		return nil, err
	}
	files := make(map[lines.Key]generation.File, len(r.keys))
	for _, k := range r.keys {
		f, known := files[k.path]
		if !known {
			var err error
			if f, err = rd.describeCopy(k.info); err != nil {
				return nil, err
			}
		}
		f.Direct = f.Direct && rd.links[k.link].Direct
		f.Links = append(f.Links, k.link)
		files[k.path] = f
	}
	left := rd.MaxSize
	for _, k := range r.keys {
		f := files[k.path]
		if f.Links[0] != k.link {
			continue // read for another link
		}
		var err error
		if f.Sum, f.Size, err = rd.hashKey(r, k, f.Direct, &left); err != nil {
			return nil, classify(&rd.links[k.link], err)
		}
		files[k.path] = f
	}
	return files, nil
}

// hashReadable reads what can be read of keys that make no generation.
func (rd *reader) hashReadable(r *reading) map[lines.Key]generation.File {
	files := map[lines.Key]generation.File{}
	left := rd.MaxSize
	for _, k := range r.firstKeys() {
		direct, rest := rd.links[k.link].Direct, left
		if !direct && k.info.Size() > left {
			continue
		}
		if sum, _, err := rd.hashKey(r, k, direct, &rest); err == nil {
			files[k.path], left = generation.File{Sum: sum, Links: []int{k.link}}, rest
		}
	}
	return files
}

// hashKey reads a key, and holds it if it is small. left is how many bytes the
// keys to be copied may still have. The limit holds for what is read, too, as a
// key may have grown since it was looked at. A direct key may be large, but not
// grow for ever.
func (rd *reader) hashKey(r *reading, k keyFile, direct bool, left *int64) (files.Hash, int64, error) {
	f, st, err := k.open()
	if err != nil {
		return files.Hash{}, 0, err
	}
	defer f.Close()
	if direct {
		return rd.hashDirect(k, f)
	}
	if err := rd.checkKeyOffDisk(k, f, st); err != nil {
		return files.Hash{}, 0, err
	}
	sum, n, err := rd.hashCopied(r, k, f, st.Size, *left)
	if *left -= n; *left < 0 {
		err = rd.tooLargeError(k)
	}
	return sum, n, err
}

func (rd *reader) hashDirect(k keyFile, f files.Raw) (files.Hash, int64, error) {
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
func (rd *reader) hashCopied(r *reading, k keyFile, f files.Raw, size, left int64) (files.Hash, int64, error) {
	if size > min(maxHeld, left, maxAllHeld-r.heldSize) {
		return rd.CopyUpTo(f, io.Discard, left)
	}
	held := make([]byte, size+1)
	n, err := f.Read(held)
	if err != nil && err != io.EOF {
		return files.Hash{}, 0, err
	}
	if int64(n) != size { // it has grown, or its file system knows no sizes
		return rd.CopyUpTo(io.MultiReader(bytes.NewReader(held[:n]), f), io.Discard, left)
	}
	if r.held == nil {
		r.held = map[lines.Key][]byte{}
	}
	r.held[k.path], r.heldSize = held[:n], r.heldSize+size
	return sha256.Sum256(held[:n]), size, nil
}

// checkSize refuses more than a generation may hold. A ConfigMap or Secret has
// at most 1 MiB. A larger key is a mistake, or needs the option direct.
func (rd *reader) checkSize(keys []keyFile) error {
	left := rd.MaxSize
	counted := map[lines.Key]bool{}
	for _, k := range keys {
		if rd.links[k.link].Direct || counted[k.path] {
			continue
		}
		counted[k.path] = true
		if k.info.Size() > left {
			return rd.tooLargeError(k)
		}
		left -= k.info.Size()
	}
	return nil
}

func (rd *reader) tooLargeError(k keyFile) error {
	return files.Invalidf("a generation would hold more than %d MiB, with key %q of volume %q: link or render less, or give a large key the option direct",
		rd.MaxSize>>20, k.name, k.vol.dir)
}

// copyKey copies a key's bytes to w and returns their hash. It refuses a key that
// lives in memory and must not get to a disk.
func (rd *reader) copyKey(r *reading, k keyFile, w io.Writer, f generation.File) (files.Hash, error) {
	if held, ok := r.held[k.path]; ok {
		delete(r.held, k.path)
		_, err := w.Write(held)
		return f.Sum, err
	}
	in, st, err := k.open()
	if err != nil {
		return files.Hash{}, err
	}
	defer in.Close()
	if err := rd.checkKeyOffDisk(k, in, st); err != nil {
		return files.Hash{}, err
	}
	sum, _, err := rd.CopyUpTo(in, w, f.Size)
	return sum, err
}

// checkKeyOffDisk is checkOffDisk for an open key.
func (rd *reader) checkKeyOffDisk(k keyFile, f files.Raw, st *syscall.Stat_t) error {
	return rd.checkOffDisk(f, st, k.vol, func() string { return mountOf(filepath.Join(k.vol.dir, k.vol.data, k.name)) })
}

// open opens a key that was a regular file. O_NONBLOCK is for one that has
// become a FIFO since, and for one with a lease, fcntl(2) F_SETLEASE.
func (k keyFile) open() (files.Raw, *syscall.Stat_t, error) {
	f, err := k.vol.openFile(k.name, unix.O_RDONLY|unix.O_NONBLOCK)
	if err != nil {
		return 0, nil, fmt.Errorf("cannot read key %q in volume %q: %w", k.name, k.vol.dir, files.Cause(err))
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

// describeCopy returns the attributes of a key's copy. Nobody may write to it.
func (rd *reader) describeCopy(info fs.FileInfo) (generation.File, error) {
	st := info.Sys().(*syscall.Stat_t)
	f := generation.File{Mode: info.Mode().Perm(), Owner: st.Uid, Group: st.Gid, Direct: true}
	return f, rd.limitMode(&f)
}

// limitMode takes from a mode what a copy can't have.
func (rd *reader) limitMode(f *generation.File) error {
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
func (rd *reader) canGive(group uint32) (bool, error) {
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

// checkHashes refuses a fallback whose volumes come from different configurations.
// A volume without the file goes with any.
func (r *reading) checkHashes() error {
	var former, dir string
	for _, d := range r.from.fallback {
		whole, err := readHash(d)
		switch {
		case err != nil:
			return err
		case former != "" && whole != "" && whole != former:
			return files.Invalidf("the fallback's volumes %q and %q come from different configurations: their files %s differ in the second word", dir, d, hashName)
		case whole != "":
			former, dir = whole, d
		}
	}
	return nil
}

// readHash returns the hash of the whole that a volume of the fallback names, or
// "" if it names none.
func readHash(dir string) (whole string, err error) {
	_, err = os.Lstat(filepath.Join(dir, lines.DataLink))
	v, err := openVolume(dir, err == nil)
	if err != nil || v.root == nil {
		return "", err
	}
	defer v.close()
	f, _, err := files.OpenRegular(v.root, hashName)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err == nil {
		defer f.Close()
		whole, err = secondWord(f)
	}
	if err != nil {
		return "", files.Invalidf("cannot read %s of the fallback's volume %q: %w", hashName, dir, files.Cause(err))
	}
	return whole, nil
}

func secondWord(f io.Reader) (string, error) {
	data, err := io.ReadAll(io.LimitReader(f, maxHashes))
	_, second, _ := strings.Cut(strings.TrimSpace(string(data)), " ")
	if err == nil && (second == "" || strings.ContainsAny(second, " \n")) {
		err = errors.New("it must hold two words, the hash of the volume and that of the whole")
	}
	return second, err
}

// maxHashes bounds its size, in bytes.
const maxHashes = 1 << 10

package linker

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"math"
	"os"

	"golang.org/x/sys/unix"
)

// Hash is a SHA-256 of a generation: names, modes and bytes of its keys.
type Hash [sha256.Size]byte

// String is the hash's first twelve digits, enough for a person to tell two
// apart.
func (h Hash) String() string { return hex.EncodeToString(h[:6]) }

// Hex is the whole hash, 64 digits.
func (h Hash) Hex() string { return hex.EncodeToString(h[:]) }

// LogValue shows String in a log of every format.
func (h Hash) LogValue() slog.Value { return slog.StringValue(h.String()) }

// parseHash reads what Hex writes; anything else is the hash of nothing.
func parseHash(s string) (h Hash) {
	if sum, err := hex.DecodeString(s); err == nil && len(sum) == len(h) {
		copy(h[:], sum)
	}
	return h
}

// file is what is remembered of a key once it was read.
type file struct {
	sum    Hash
	mode   fs.FileMode
	owner  uint32 // of the source; once it is written, of the copy
	group  uint32
	size   int64 // once it is written
	direct bool
	links  []int // the links that ask for it
}

// errMoved says that the volumes changed while they were read.
var errMoved = errors.New("the volume changed while it was read")

// errTooLarge is about a file that can't be of a generation.
var errTooLarge = errors.New("it is larger than a generation may be")

// hashKeys reads every key once and returns what is known of each.
func (l *Linker) hashKeys(r *reading) (map[string]file, error) {
	if err := l.checkSize(r.keys); err != nil {
		return nil, err
	}
	files := make(map[string]file, len(r.keys))
	for _, k := range r.keys {
		f, known := files[k.path]
		if !known {
			var err error
			if f, err = l.describeCopy(k.info); err != nil {
				return nil, err
			}
		}
		f.direct = f.direct && l.links[k.link].Direct
		f.links = append(f.links, k.link)
		files[k.path] = f
	}
	left := l.sizeLimit
	for _, k := range r.keys {
		f := files[k.path]
		if f.links[0] != k.link {
			continue // read for another link
		}
		var err error
		if f.sum, f.size, err = l.hashKey(k, f.direct, &left); err != nil {
			return nil, l.links[k.link].classify(err)
		}
		files[k.path] = f
	}
	return files, nil
}

// hashKey reads a key without copying it. The limit holds for what is read,
// too, as a key may have grown since it was looked at: left is what the keys to
// be copied may still hold. A direct key may be large, but not grow for ever.
func (l *Linker) hashKey(k key, direct bool, left *int64) (Hash, int64, error) {
	if direct {
		return l.hashDirect(k)
	}
	sum, n, err := l.copyKey(k, io.Discard, *left)
	if *left -= n; *left < 0 {
		err = l.tooLarge(k)
	}
	return sum, n, err
}

func (l *Linker) hashDirect(k key) (Hash, int64, error) {
	f, err := k.open()
	if err != nil {
		return Hash{}, 0, err
	}
	defer f.Close()
	limit := min(max(k.info.Size(), l.sizeLimit), math.MaxInt64-1)
	sum, n, err := l.copyUpTo(f, io.Discard, limit)
	if n > limit {
		err = errMoved
	}
	return sum, n, err
}

// checkSize refuses more than a generation may hold. A ConfigMap or Secret has
// at most 1 MiB: more is a mistake, or belongs under the option direct.
func (l *Linker) checkSize(keys []key) error {
	left := l.sizeLimit
	counted := map[string]bool{}
	for _, k := range keys {
		if l.links[k.link].Direct || counted[k.path] {
			continue
		}
		counted[k.path] = true
		if k.info.Size() > left {
			return l.tooLarge(k)
		}
		left -= k.info.Size()
	}
	return nil
}

func (l *Linker) tooLarge(k key) error {
	return invalidf("the linked keys hold more than %d MiB, with key %q of volume %q: link fewer, or give the large ones the option direct",
		l.sizeLimit>>20, k.name, k.vol.dir)
}

// copyKey copies a key's bytes to w, unless it lives in memory and must not get
// to a disk. It returns their hash and, like copyUpTo, their number.
func (l *Linker) copyKey(k key, w io.Writer, limit int64) (Hash, int64, error) {
	f, err := k.open()
	if err != nil {
		return Hash{}, 0, err
	}
	defer f.Close()
	if err := l.keepKeyOffDisk(k, f); err != nil {
		return Hash{}, 0, err
	}
	return l.copyUpTo(f, w, limit)
}

// open opens a key, which is known to be a regular file; O_NONBLOCK is for one
// that was made a FIFO since, and for one with a lease, fcntl(2) F_SETLEASE.
func (k key) open() (*os.File, error) {
	f, err := k.vol.root.OpenFile(k.name, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, fmt.Errorf("cannot read key %q in volume %q: %w", k.name, k.vol.dir, cause(err))
	}
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		f.Close()
		return nil, errMoved
	}
	return f, nil
}

// copySum copies what is left of a file to w and returns its hash.
func (l *Linker) copySum(f io.Reader, w io.Writer) (Hash, error) {
	sum, n, err := l.copyUpTo(f, w, l.sizeLimit)
	if n > l.sizeLimit {
		err = errTooLarge
	}
	return sum, err
}

// copyUpTo copies what is left of a file to w and returns its hash and size. Of
// a file with more than limit bytes it copies one more.
func (l *Linker) copyUpTo(f io.Reader, w io.Writer, limit int64) (Hash, int64, error) {
	h := sha256.New()
	n, err := io.CopyBuffer(io.MultiWriter(h, w), io.LimitReader(f, limit+1), l.buffer)
	return Hash(h.Sum(nil)), n, err
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

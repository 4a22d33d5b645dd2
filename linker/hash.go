package linker

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"syscall"

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
	owner  uint32
	group  uint32
	size   int64
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
			f = file{sum: sum, mode: k.info.Mode().Perm() &^ 0o222, owner: st.Uid, group: st.Gid, size: st.Size, direct: true}
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
	return l.copySum(f, w)
}

// copySum copies what is left of a file to w and returns its hash.
func (l *Linker) copySum(f *os.File, w io.Writer) (Hash, error) {
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

package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"log/slog"

	"golang.org/x/sys/unix"
)

// Raw is the descriptor of a regular file that is copied. An [os.File] asks the runtime first
// whether it can wait for the file; epoll_ctl(2) refuses that for each regular file.
type Raw int

// OpenAt opens a name in a directory, and follows no link.
func OpenAt(dir int, name string, flags int, mode uint32) (Raw, error) {
	for {
		fd, err := unix.Openat(dir, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
		if err != unix.EINTR {
			return Raw(fd), err
		}
	}
}

// Read is read(2).
func (f Raw) Read(p []byte) (int, error) {
	for {
		n, err := unix.Read(int(f), p)
		switch {
		case err == unix.EINTR:
		case err != nil:
			return 0, err
		case n == 0 && len(p) > 0:
			return 0, io.EOF
		default:
			return n, nil
		}
	}
}

// Write is write(2), until all is written.
func (f Raw) Write(p []byte) (n int, err error) {
	for n < len(p) && err == nil {
		var m int
		m, err = unix.Write(int(f), p[n:])
		if errors.Is(err, unix.EINTR) {
			m, err = 0, nil
		}
		n += max(m, 0)
	}
	return n, tooLarge(err)
}

// tooLarge names the limit, where the size of a file has met one of this process: setrlimit(2).
func tooLarge(err error) error {
	var limit unix.Rlimit
	if err != unix.EFBIG || unix.Getrlimit(unix.RLIMIT_FSIZE, &limit) != nil || limit.Cur == unix.RLIM_INFINITY {
		return err
	}
	return fmt.Errorf("%w: RLIMIT_FSIZE is %d bytes; raise it (ulimit -f)", err, limit.Cur)
}

// Stat is fstat(2).
func (f Raw) Stat() (st Stat, err error) {
	err = unix.Fstat(int(f), &st.Stat_t)
	return st, err
}

// Stat is what stat(2) tells of a file.
type Stat struct{ unix.Stat_t }

func (s Stat) is(kind uint32) bool { return s.Mode&unix.S_IFMT == kind }

// IsDir reports a directory.
func (s Stat) IsDir() bool { return s.is(unix.S_IFDIR) }

// IsRegular reports a regular file.
func (s Stat) IsRegular() bool { return s.is(unix.S_IFREG) }

// IsLink reports a symlink.
func (s Stat) IsLink() bool { return s.is(unix.S_IFLNK) }

// Same reports that both are of one file.
func (s Stat) Same(other Stat) bool { return s.Dev == other.Dev && s.Ino == other.Ino }

// Close is close(2).
func (f Raw) Close() error { return unix.Close(int(f)) }

// Give gives a copy, which was made for confit's user alone, the group, mode and owner of its
// source, in this order. So nobody else can read it in between, and confit sets the mode before it
// gives the file away. It gives group and owner as far as the kernel permits. A mode that can't be
// set is an error.
func Give(fd int, mode, owner, group uint32) error {
	if err := permitted(unix.Fchown(fd, -1, int(group))); err != nil {
		return err
	}
	if err := unix.Fchmod(fd, mode); err != nil {
		return err
	}
	if int(owner) == Euid {
		return nil
	}
	return permitted(unix.Fchown(fd, int(owner), -1))
}

// permitted is nil if a file can't be given to somebody here: only root may, chown(2); the user
// namespace doesn't map the owner or group, EINVAL of user_namespaces(7); a seccomp profile or the
// file system doesn't offer the call.
func permitted(err error) error {
	return Ignoring(err, unix.EPERM, unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP)
}

// Hash is a SHA-256: of the bytes of a key or, of a generation, of the names, modes and bytes of
// its keys.
type Hash [sha256.Size]byte

// String is the hash's first twelve digits, enough for a person to tell two apart.
func (h Hash) String() string { return hex.EncodeToString(h[:6]) }

// Hex is the whole hash, 64 digits.
func (h Hash) Hex() string { return hex.EncodeToString(h[:]) }

// LogValue shows String in a log of every format.
func (h Hash) LogValue() slog.Value { return slog.StringValue(h.String()) }

// MarshalText writes Hex, as notes have it.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.Hex()), nil }

// UnmarshalText reads what Hex writes. Anything else gives the zero hash: who believes a note
// compares its hashes.
func (h *Hash) UnmarshalText(text []byte) error {
	*h = Hash{}
	if sum, err := hex.DecodeString(string(text)); err == nil && len(sum) == len(h) {
		copy(h[:], sum)
	}
	return nil
}

// bufferSize is the size of the one buffer that all copies share, in bytes.
const bufferSize = 16 << 10

// Copier copies bytes, and hashes them on the way.
type Copier struct {
	buffer []byte // the one that all copies share
}

// NewCopier makes one.
func NewCopier() *Copier { return &Copier{make([]byte, bufferSize)} }

// CopyUpTo copies what is left of a file to w and returns its hash and size; of more than limit
// bytes, one more than that.
func (c *Copier) CopyUpTo(f io.Reader, w io.Writer, limit int64) (Hash, int64, error) {
	h := sha256.New()
	n, err := io.CopyBuffer(io.MultiWriter(h, w), io.LimitReader(f, limit+1), c.buffer)
	return Hash(h.Sum(nil)), n, err
}

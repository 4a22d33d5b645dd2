package files

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
)

// Hash is a SHA-256: of the bytes of a key or, of a generation, of the names, modes and
// bytes of its keys.
type Hash [sha256.Size]byte

// String is the hash's first twelve digits, enough for a person to tell two
// apart.
func (h Hash) String() string { return hex.EncodeToString(h[:6]) }

// Hex is the whole hash, 64 digits.
func (h Hash) Hex() string { return hex.EncodeToString(h[:]) }

// LogValue shows String in a log of every format.
func (h Hash) LogValue() slog.Value { return slog.StringValue(h.String()) }

// MarshalText writes Hex, as notes have it.
func (h Hash) MarshalText() ([]byte, error) { return []byte(h.Hex()), nil }

// UnmarshalText reads what Hex writes. Anything else gives the zero hash: who believes a note compares its hashes.
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
	MaxSize int64  // how many bytes a copy may have
	buffer  []byte // the one that all copies share
}

// NewCopier makes one whose copies have at most maxSize bytes.
func NewCopier(maxSize int64) *Copier {
	return &Copier{MaxSize: maxSize, buffer: make([]byte, bufferSize)}
}

var errTooLarge = errors.New("it is larger than a generation may be")

// Copy copies what is left of a file to w and returns its hash. More than MaxSize bytes
// are an error.
func (c *Copier) Copy(f io.Reader, w io.Writer) (Hash, error) {
	sum, n, err := c.CopyUpTo(f, w, c.MaxSize)
	if n > c.MaxSize {
		err = errTooLarge
	}
	return sum, err
}

// CopyUpTo copies what is left of a file to w and returns its hash and size.
// From a file with more than limit bytes it copies one more than limit.
func (c *Copier) CopyUpTo(f io.Reader, w io.Writer, limit int64) (Hash, int64, error) {
	h := sha256.New()
	n, err := io.CopyBuffer(io.MultiWriter(h, w), io.LimitReader(f, limit+1), c.buffer)
	return Hash(h.Sum(nil)), n, err
}

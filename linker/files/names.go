package files

import (
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Names of what confit leaves beside a target. They begin with a dot, so that include conf.d/*.conf
// doesn't find them.
const (
	KeptPrefix     = ".confit-kept-"
	ReplacedPrefix = ".confit-replaced-"
)

// TmpPrefix begins the name of what is not yet in its place. What a killed confit leaves under one
// the next sweeps.
const TmpPrefix = ".confit-tmp-"

// maxName is the longest name of a file.
const maxName = 255

// Sibling is a name beside another one. Of one that would be too long, a hash stands for the end.
func Sibling(name, prefix string) string {
	if len(prefix)+len(name) <= maxName {
		return prefix + name
	}
	sum := sha256.Sum256([]byte(name))
	return fmt.Sprintf("%s%s-%x", prefix, strings.ToValidUTF8(name[:200], ""), sum[:8])
}

// IsOwnName reports a path with an element that only confit gives.
func IsOwnName(path string) bool {
	return slices.ContainsFunc([]string{KeptPrefix, ReplacedPrefix, TmpPrefix}, func(prefix string) bool {
		return strings.Contains(path, "/"+prefix)
	})
}

// TmpName is a new name that begins with [TmpPrefix].
func TmpName() string { return TmpPrefix + strconv.FormatUint(rand.Uint64(), 36) }

// NameFlaw says why a name can't be passed on: the notes and the status are JSON, which is UTF-8,
// and a hook gets the changed keys one a line. The keys of a ConfigMap or Secret have only letters,
// digits, -, _ and dots.
func NameFlaw(name string) string {
	switch {
	case !utf8.ValidString(name):
		return "isn't UTF-8"
	case strings.ContainsFunc(name, unicode.IsControl):
		return "holds a control character"
	}
	return ""
}

// Resolver remembers the real paths of directories, so that many links below one ask the file
// system once.
type Resolver map[string]string

// Path follows the links in the part of a path that exists, but for the last element: /var/run/x is
// mostly /run/x.
func (r Resolver) Path(path string) string {
	dir, name := filepath.Dir(path), filepath.Base(path)
	if dir == path {
		return path
	}
	if r[dir] == "" {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			real = r.Path(dir)
		}
		r[dir] = real
	}
	return filepath.Join(r[dir], name)
}

// Dir is a directory's real path. Unlike Path, it follows the last element, too.
func (r Resolver) Dir(path string) string { return filepath.Dir(r.Path(filepath.Join(path, "x"))) }

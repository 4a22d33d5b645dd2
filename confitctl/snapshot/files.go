package snapshot

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Source is a generation, as confit tells its hooks of it.
type Source struct {
	Dir   string   // of its keys: VOLUME/KEY
	Local []string // keys that differ from replica to replica
	Hash  string   // of all others
	// InMemory are the volumes that the kubelet mounts from memory: Secrets, and
	// those that are made of several sources.
	InMemory []string
}

// Volume is what a generation has of a volume.
type Volume struct {
	Keys     map[string][]byte
	Hash     string   // of the keys
	Private  []string // keys that not everybody may read
	InMemory bool     // as Secrets are
}

// rendered is the directory of what a renderer made. It is no part of the hash,
// as each replica makes it anew.
const rendered = ".rendered"

// Read reads the keys of some volumes, without the local ones. It is an error if
// what is there isn't what the hash says.
func (s Source) Read(volumes []string) (map[string]Volume, error) {
	paths, err := s.paths()
	if err != nil {
		return nil, err
	}
	whole, parts, found := newSum(), map[string]*sum{}, map[string]Volume{}
	for _, name := range volumes {
		parts[name], found[name] = newSum(), Volume{Keys: map[string][]byte{}, InMemory: slices.Contains(s.InMemory, name)}
	}
	for _, path := range paths {
		content, isPrivate, err := readKey(filepath.Join(s.Dir, path))
		if err != nil {
			return nil, fmt.Errorf("cannot read the accepted keys: %w", err)
		}
		whole.add(path, content)
		if volume, key, _ := strings.Cut(path, "/"); parts[volume] != nil {
			parts[volume].add(path, content)
			v := found[volume]
			v.Keys[key] = content
			if isPrivate {
				v.Private = append(v.Private, key)
			}
			found[volume] = v
		}
	}
	if got := whole.String(); got != s.Hash {
		return nil, fmt.Errorf("the keys in %s aren't those that were accepted: their hash is %s, not %s", s.Dir, got, s.Hash)
	}
	for name, part := range parts {
		v := found[name]
		v.Hash = part.String()
		found[name] = v
	}
	return found, nil
}

// readKey also says whether not everybody may read a key. Its mode is that of the
// volume's, or stricter.
func readKey(path string) (content []byte, isPrivate bool, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, false, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, false, err
	}
	content, err = io.ReadAll(f)
	return content, info.Mode()&0o004 == 0, err
}

// paths lists the shared keys in the order in which they are hashed.
func (s Source) paths() (paths []string, err error) {
	err = fs.WalkDir(os.DirFS(s.Dir), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case path == rendered:
			return fs.SkipDir
		case entry.Type().IsRegular() && !slices.Contains(s.Local, path):
			paths = append(paths, path)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("cannot list the accepted keys: %w", err)
	}
	slices.Sort(paths)
	return paths, nil
}

// sum is the hash that confit calls shared: of names and bytes, in the order of
// the names.
type sum struct{ h hash.Hash }

func newSum() *sum { return &sum{sha256.New()} }

func (s *sum) add(path string, content []byte) {
	fmt.Fprintf(s.h, "%q %x\n", path, sha256.Sum256(content))
}

func (s *sum) String() string { return hex.EncodeToString(s.h.Sum(nil)) }

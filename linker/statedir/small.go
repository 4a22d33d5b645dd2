package statedir

import (
	"encoding/json"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/safedir"
)

// The small files: those of confit's own, and nobody's keys.

// small knows those that were written, as they are on the disk. Two goroutines write.
type small struct {
	sync.Mutex
	wrote map[string]files.Stat
}

// noteMode lets everybody read the small files, also a container of another user. No value of a key
// is in them.
const noteMode = 0o644

// untrustedError says why a file isn't trusted, and what to do.
func (s *Dir) untrustedError(name string, reason error) error {
	return fmt.Errorf("cannot trust %q: %w; remove it, or give confit a state directory of its own",
		filepath.Join(s.Path, name), reason)
}

// ReadTrusted reads a file of the state directory, nil if there is none. An error that may pass
// says nothing of the file.
func (s *Dir) ReadTrusted(name string) ([]byte, error) {
	data, err := s.Top.Read(name, mostBytes(name), files.CheckTrusted)
	switch {
	case err == nil:
		return data, nil
	case err == unix.ENOENT:
		return nil, nil
	case files.MayPass(err):
		return nil, fmt.Errorf("cannot read %q: %w", filepath.Join(s.Path, name), err)
	}
	return nil, s.untrustedError(name, err)
}

// ReadFile reads a file of a state directory that is another confit's, maybe of another user or in
// another container. It takes no lock, which could keep a confit from starting.
func ReadFile(dir, name string) ([]byte, error) {
	top, err := safedir.At(dir)
	if err != nil {
		return nil, err
	}
	defer top.Close()
	return top.Read(name, mostBytes(name), func(st *files.Stat) error { return checkOwner(top, st.Uid) })
}

// checkOwner refuses a file that isn't confit's: in an emptyDir that confit may not tighten anybody
// in the pod can put one. The reader can't know confit's user. But confit refuses generations that
// are somebody else's, so their owner is confit's user.
func checkOwner(top *safedir.Dir, by uint32) error {
	if files.Own(by) {
		return nil
	}
	if generations, err := top.Stat(generationsName); err == nil && generations.Uid == by {
		return nil
	}
	return fmt.Errorf("user %d owns it: not root, not you, and not the owner of the generations", by)
}

// WriteJSON replaces a file of the state directory by a value's JSON.
func (s *Dir) WriteJSON(name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.Replace(name, data)
}

// mostBytes is how large a file of the state directory may be: what is larger is neither read nor
// written. The lists have something of each key. Three editions of 10,000 keys are a note of 14
// MiB, if the names have 100 letters, as in ConfigMaps of 1 MiB.
func mostBytes(name string) int64 {
	if strings.HasSuffix(name, ".json") {
		return 16 << 20
	}
	return 1 << 20
}

// Replace replaces a file of the state directory, see [safedir.Dir.Put]. The note on a disk
// outlives a loss of power, too.
func (s *Dir) Replace(name string, data []byte) error {
	err := s.put(name, data)
	if err != nil {
		return fmt.Errorf("cannot write %q: %w", filepath.Join(s.Path, name), err)
	}
	return nil
}

func (s *Dir) put(name string, data []byte) error {
	if n, most := int64(len(data)), mostBytes(name); n > most {
		return safedir.TooLarge(n, most)
	}
	s.small.Lock()
	defer s.small.Unlock()
	fill := func(f files.Raw) error {
		err := safedir.Bytes(data, noteMode)(f)
		if err == nil && name == Note && !s.Memory {
			err = unix.Fsync(int(f))
		}
		return err
	}
	err := s.Top.Put(name, fill)
	if err == unix.EISDIR && s.moveAside(name) == nil {
		err = s.Top.Put(name, fill)
	}
	if st, found := s.Top.Stat(name); err == nil && found == nil {
		s.small.wrote[name] = st
	}
	return err
}

// lost lists the small files that aren't what was written last, each once: who writes one again has
// it looked at again. Another mode or owner makes no difference: entrypoints change those of all
// that is there.
func (s *Dir) lost() (names []string) {
	s.small.Lock()
	defer s.small.Unlock()
	for _, name := range slices.Sorted(maps.Keys(s.small.wrote)) {
		was := s.small.wrote[name]
		st, err := s.Top.Stat(name)
		// a new file may get the number of the old one
		if err == unix.ENOENT || err == nil && (!st.Same(was) || st.Mtim != was.Mtim) {
			names = append(names, name)
			delete(s.small.wrote, name)
		}
	}
	return names
}

// moveAside gives what stands in the place of a file of confit's, and can't be replaced, another
// name. Only the newest is kept, and one that another user has filled, whom confit can't empty it.
func (s *Dir) moveAside(name string) error {
	_ = s.Top.RemoveAll(files.ReplacedPrefix + name) // or rename(2) says why not
	err := s.Top.Rename(name, files.ReplacedPrefix+name, 0)
	if err == unix.ENOTEMPTY || err == unix.EEXIST {
		err = s.Top.Rename(name, files.TmpName(), 0)
	}
	return err
}

// Remove removes a file of the state directory. A directory in its place is moved aside.
func (s *Dir) Remove(name string) error {
	s.small.Lock()
	defer s.small.Unlock()
	delete(s.small.wrote, name)
	err := s.Top.Remove(name)
	if err == unix.ENOTEMPTY || err == unix.EEXIST {
		err = s.moveAside(name)
	}
	return err
}

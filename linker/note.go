package linker

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// A note is a small file in the state directory, which outlives confit. It is
// replaced as a whole and believed only when nobody else can have written it.

// noteMode lets everybody read the notes, a container of another user too; no
// value of a key is in them.
const noteMode = 0o644

// distrust says why somebody else may have put there what confit finds: only
// confit's user or root may own it, and nobody else may write to it.
func distrust(info fs.FileInfo) error {
	switch {
	case !ours(info):
		return fmt.Errorf("user %d owns it", owner(info))
	case info.Mode().Perm()&0o022 != 0:
		return errors.New("others may write to it")
	}
	return nil
}

// ours reports whether confit's user or root owns a file.
func ours(info fs.FileInfo) bool {
	return owner(info) == 0 || owner(info) == uint32(os.Geteuid())
}

func owner(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Uid }
func group(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Gid }

// untrusted is the error of what isn't to be trusted.
func (s *state) untrusted(name string, reason error) error {
	return fmt.Errorf("cannot trust %q: %w; remove it, or give confit a state directory of its own", filepath.Join(s.path, name), reason)
}

// openRegular opens a regular file for reading. An [os.Root] follows links that
// stay inside, and whoever may write to a directory can put one there between
// two looks: what was opened must be what has the name. A FIFO is refused
// before anybody waits for its writer.
func openRegular(root *os.Root, name string) (f *os.File, info fs.FileInfo, err error) {
	for range attempts { // a status may be replaced meanwhile
		if f, info, err = tryRegular(root, name); !errors.Is(err, errMoved) {
			break
		}
	}
	return f, info, err
}

func tryRegular(root *os.Root, name string) (*os.File, fs.FileInfo, error) {
	named, err := root.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if !named.Mode().IsRegular() {
		return nil, nil, errors.New("it is " + describe(named.Mode()))
	}
	f, err := root.OpenFile(name, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(info, named) {
		err = errMoved
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// readTrusted reads a file of the state directory, nil if there is none.
func (s *state) readTrusted(name string) ([]byte, error) {
	f, info, err := openRegular(s.root, name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, s.untrusted(name, cause(err))
	}
	defer f.Close()
	if err := distrust(info); err != nil {
		return nil, s.untrusted(name, err)
	}
	data, err := io.ReadAll(f)
	if err != nil {
		return nil, fmt.Errorf("cannot read %q: %w", filepath.Join(s.path, name), cause(err))
	}
	return data, nil
}

// writeJSON replaces a file of the state directory by a value's JSON.
func (s *state) writeJSON(name string, value any) error {
	data, err := json.Marshal(value)
	if err != nil {
		return err
	}
	return s.replace(name, data)
}

// replace replaces a file of the state directory, by rename(2): a reader finds
// the old one or the new one, whole, and a link in its place isn't followed.
func (s *state) replace(name string, data []byte) error {
	tmp := tmpPrefix + randomName()
	err := s.writeNew(tmp, data)
	if err == nil {
		err = s.root.Rename(tmp, name)
	}
	if err != nil {
		_ = s.root.Remove(tmp)
		return fmt.Errorf("cannot write %q: %w", filepath.Join(s.path, name), cause(err))
	}
	return nil
}

// writeNew writes a file that isn't there yet. Its mode is set through the
// descriptor, whatever the umask: its name may lead elsewhere by now.
func (s *state) writeNew(name string, data []byte) error {
	f, err := s.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|unix.O_NONBLOCK, noteMode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Chmod(noteMode), f.Close())
}

// readTargets reads the list of targets that confit made. Without one that is
// whole nothing is pruned.
func (s *state) readTargets() (map[string]string, error) {
	made := map[string]string{}
	data, err := s.readTrusted(targetsName)
	if err == nil && data != nil {
		err = json.Unmarshal(data, &made)
	}
	if err != nil || made == nil {
		return map[string]string{}, err
	}
	return made, nil
}

// writeTargets replaces the list of targets that confit made.
func (s *state) writeTargets(made map[string]string) error {
	return s.writeJSON(targetsName, made)
}

package linker

import (
	"encoding/json"
	"errors"
	"fmt"
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

// trusted refuses what somebody else may have put there: only confit's user or
// root may own it, and nobody else may write to it. A FIFO is refused before
// anybody waits for its writer.
func (s *state) trusted(name string) error {
	info, err := s.root.Lstat(name)
	if err != nil {
		return fmt.Errorf("cannot trust %q: %w", filepath.Join(s.path, name), cause(err))
	}
	owner := info.Sys().(*syscall.Stat_t).Uid
	switch {
	case !info.IsDir() && !info.Mode().IsRegular():
		err = errors.New("it is " + describe(info.Mode()))
	case owner != 0 && owner != uint32(os.Geteuid()):
		err = fmt.Errorf("user %d owns it", owner)
	case info.Mode().Perm()&0o022 != 0:
		err = errors.New("others may write to it")
	}
	if err == nil {
		return nil
	}
	return fmt.Errorf("cannot trust %q: %w; remove it, or give confit a state directory of its own", filepath.Join(s.path, name), err)
}

// readTrusted reads a file of the state directory, nil if there is none.
func (s *state) readTrusted(name string) ([]byte, error) {
	if _, err := s.root.Lstat(name); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err := s.trusted(name); err != nil {
		return nil, err
	}
	data, err := s.root.ReadFile(name)
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
// the old one or the new one, whole.
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

func (s *state) writeNew(name string, data []byte) error {
	f, err := s.root.OpenFile(name, os.O_CREATE|os.O_EXCL|os.O_WRONLY|unix.O_NONBLOCK, noteMode)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Chmod(noteMode), f.Close()) // whatever the umask; as in makeDir
}

// readTargets reads the list of targets that confit made.
func (s *state) readTargets() (map[string]string, error) {
	data, err := s.readTrusted(targetsName)
	if err != nil {
		return nil, err
	}
	var made map[string]string
	if err := json.Unmarshal(data, &made); err != nil || made == nil {
		return map[string]string{}, nil // half a list prunes nothing
	}
	return made, nil
}

// writeTargets replaces the list of targets that confit made.
func (s *state) writeTargets(made map[string]string) error {
	return s.writeJSON(targetsName, made)
}

package linker

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"syscall"

	"golang.org/x/sys/unix"
)

// A copy is never more readable than its source: not for a moment while it is
// made, and not for confit's own group where that of the source can't be given.

// describeCopy is what the copy of a key will be: nobody may write to it.
func (l *Linker) describeCopy(info fs.FileInfo) (file, error) {
	st := info.Sys().(*syscall.Stat_t)
	f := file{mode: info.Mode().Perm() &^ 0o222, owner: st.Uid, group: st.Gid, direct: true}
	group, others := f.mode>>3&7, f.mode&7
	if group&^others == 0 {
		return f, nil // the group may do no more than everybody
	}
	gives, err := l.gives(st.Gid)
	if !gives {
		f.mode &^= (group &^ others) << 3
	}
	return f, err
}

// gives finds out, once for each group, whether a file can be given to it.
func (l *Linker) gives(group uint32) (bool, error) {
	if gives, known := l.groups[group]; known {
		return gives, nil
	}
	gives, err := l.state.gives(group)
	if err != nil {
		return false, fmt.Errorf("cannot write in state directory %q: %w", l.state.path, cause(err))
	}
	l.groups[group] = gives
	return gives, nil
}

// gives tries it with a file that is there for a moment, in a directory as the
// copies are in: the state directory itself may have the set-group-ID bit, as
// fsGroup makes an emptyDir, and give its own group.
func (s *state) gives(group uint32) (bool, error) {
	dir := tmpPrefix + randomName()
	defer func() { _ = s.generations.RemoveAll(dir) }()
	if err := makeDir(s.generations, dir); err != nil {
		return false, err
	}
	f, err := s.generations.OpenFile(path.Join(dir, "file"), os.O_CREATE|os.O_EXCL|os.O_WRONLY|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return false, err
	}
	defer f.Close()
	return f.Chown(-1, int(group)) == nil, nil
}

// dress gives a copy, which was made 0600, the group, mode and owner of its
// source, in this order: so it is readable for nobody else in between, and who
// has given the file away needn't change its mode. Group and owner are given as
// far as the kernel permits. A mode that can't be set is an error.
func dress(out *os.File, f file) error {
	if err := out.Chown(-1, int(f.group)); err != nil && !refused(err) {
		return err
	}
	if err := out.Chmod(f.mode); err != nil {
		return err
	}
	if int(f.owner) == os.Geteuid() {
		return nil
	}
	if err := out.Chown(int(f.owner), -1); err != nil && !refused(err) {
		return err
	}
	return nil
}

// refused reports that a file can't be given to somebody here: only root may,
// chown(2); the user namespace doesn't map the owner or group, which is EINVAL,
// user_namespaces(7); a seccomp profile or the file system has no such call.
func refused(err error) bool {
	for _, harmless := range []error{unix.EPERM, unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP} {
		if errors.Is(err, harmless) {
			return true
		}
	}
	return false
}

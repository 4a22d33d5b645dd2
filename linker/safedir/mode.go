package safedir

import (
	"cmp"
	"strconv"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// Chmod sets the mode of a file or directory, and follows no link. That goes through a descriptor:
// by name it is fchmodat2(2), which Linux has since 6.6, and which many seccomp profiles refuse.
func (d *Dir) Chmod(name string, mode uint32) error {
	f, err := d.OpenFile(name, unix.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return d.chmodShut(name, mode)
	}
	defer f.Close()
	return unix.Fchmod(int(f), mode)
}

// chmodShut sets the mode of what confit owns and may not open. fchmod(2) takes no descriptor of
// O_PATH; chmod(2) takes its name in /proc: proc_pid_fd(5). What isn't the kernel's own /proc could
// lead elsewhere, so without that there is fchmodat2(2).
func (d *Dir) chmodShut(name string, mode uint32) error {
	f, err := d.OpenFile(name, unix.O_PATH, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	if st, err := f.Stat(); err != nil || st.IsLink() {
		return cmp.Or[error](err, unix.EOPNOTSUPP) // as fchmodat2(2) has it; chmod(2) may set that of a symlink
	}
	if proc, err := files.OpenAt(unix.AT_FDCWD, "/proc/self/fd", unix.O_PATH|unix.O_DIRECTORY, 0); err == nil {
		defer proc.Close()
		var st unix.Statfs_t
		if unix.Fstatfs(int(proc), &st) == nil && uint32(st.Type) == unix.PROC_SUPER_MAGIC {
			return unix.Fchmodat(int(proc), strconv.Itoa(int(f)), mode, 0)
		}
	}
	return unix.Fchmodat(int(f), "", mode, unix.AT_EMPTY_PATH)
}

package files

import "golang.org/x/sys/unix"

// Give gives a copy, which was made for confit's user alone, the group, mode and owner of
// its source, in this order. So nobody else can read it in between, and confit
// sets the mode before it gives the file away. It gives group and owner as far
// as the kernel permits. A mode that can't be set is an error.
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

// permitted is nil if a file can't be given to somebody here: only root may,
// chown(2); the user namespace doesn't map the owner or group, EINVAL of
// user_namespaces(7); a seccomp profile or the file system doesn't offer the
// call.
func permitted(err error) error {
	return Ignoring(err, unix.EPERM, unix.EINVAL, unix.ENOSYS, unix.EOPNOTSUPP)
}

package seed

import (
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// maxXattr is the most bytes of a list of extended attributes, and of one of them: xattr(7).
const maxXattr = 64 << 10

// attributes gives a copy what else its source has. Times come before the owner: only who has a file sets them. A copy that
// became the user's own, of what he may not write to, is shut to him.
func (c *work) attributes(in *os.File, out int, st *unix.Stat_t, may error) error {
	c.xattrs(in, out)
	mode := st.Mode & 0o7777
	given := uint32(unix.S_ISUID) // rights to who runs it
	if st.Mode&unix.S_IFMT == unix.S_IFREG {
		given |= unix.S_ISGID
	}
	if mode&given != 0 {
		_ = c.say("not kept", in.Name(), "the bits set-user-ID and set-group-ID")
	}
	setTimes(out, st)
	if err := files.Give(out, mode&^given, st.Uid, st.Gid); err != nil || may != unix.EACCES {
		return err
	}
	var made unix.Stat_t
	if err := unix.Fstat(out, &made); err != nil || made.Uid == st.Uid {
		return err
	}
	return unix.Fchmod(out, mode&^given&^0o222)
}

// setTimes is futimens(3), by which x/sys has utimensat(2) only for a path.
func setTimes(f int, st *unix.Stat_t) {
	times := [2]unix.Timespec{st.Atim, st.Mtim}
	_, _, _ = unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(f), 0, uintptr(unsafe.Pointer(&times)), 0, 0, 0)
}

// xattrs copies extended attributes, and names those that it can't. A label of security.* is the system's, which gives the copy
// its own. Capabilities give rights to who runs a program: capabilities(7).
func (c *work) xattrs(in *os.File, out int) {
	buffer := make([]byte, maxXattr)
	n, _ := unix.Flistxattr(int(in.Fd()), buffer) // an error: the file system has none
	for _, name := range strings.Split(string(buffer[:max(n, 0)]), "\x00") {
		label := strings.HasPrefix(name, "security.")
		if name == "" || label && name != "security.capability" {
			continue
		}
		n, err := unix.Fgetxattr(int(in.Fd()), name, buffer)
		if label {
			err = unix.EPERM
		}
		if err == nil {
			err = unix.Fsetxattr(out, name, buffer[:n], 0)
		}
		if err != nil {
			_ = c.say("not kept", in.Name(), name+": "+err.Error())
		}
	}
}

package linker

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// dir is an opened directory, in which targets are worked on by name. It stays
// the same one, whatever somebody puts in the place of its path.
type dir struct {
	fd      int
	path    string // as written
	st      unix.Stat_t
	above   uint32 // whose the directory above it is
	foreign bool   // others may have put it there: they may write to a directory above it
}

// maxLinks is how many symlinks may be on a way, as for the kernel: path_resolution(7).
const maxLinks = 40

// openDir goes the way to a directory, element by element. It follows symlinks
// as long as only root and confit's own user could have put them there. From the
// first directory on to which others may write, a symlink is refused as
// [*unplanned]. makes says that missing directories are made.
func openDir(path string, makes bool) (*dir, error) {
	d, err := openTop()
	way := strings.Split(path, "/")
	for links := 0; err == nil && len(way) > 0; {
		var next *dir
		var to string
		name := way[0]
		way = way[1:]
		if name == "" || name == "." {
			continue
		}
		next, to, err = d.follow(name, makes)
		switch {
		case err != nil:
		case next != nil:
			d.close()
			d = next
			continue
		case links == maxLinks:
			err = unix.ELOOP
		default:
			links++
			way = slices.Concat(strings.Split(to, "/"), way)
			if strings.HasPrefix(to, "/") {
				d.close()
				d, err = openTop()
			}
			continue
		}
		d.close()
	}
	if err != nil {
		return nil, err
	}
	d.path = path
	return d, nil
}

func openTop() (*dir, error) {
	return (&dir{fd: unix.AT_FDCWD}).open("/")
}

// open opens a directory in another one. What is no directory is ENOTDIR.
func (d *dir) open(name string) (*dir, error) {
	next := &dir{above: d.st.Uid}
	err := again(func() (err error) {
		next.fd, err = unix.Openat(d.fd, name, unix.O_PATH|unix.O_NOFOLLOW|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
		return err
	})
	if err != nil {
		return nil, err
	}
	if err := unix.Fstat(next.fd, &next.st); err != nil {
		next.close()
		return nil, err
	}
	next.foreign = d.foreign || d.othersWrite() && (!files.Own(next.st.Uid) || !d.isSticky())
	next.path = strings.TrimSuffix(d.path, "/") + "/" + strings.TrimPrefix(name, "/")
	return next, nil
}

// follow takes one element of a way: it opens a directory, or reads a symlink
// that may be followed.
func (d *dir) follow(name string, makes bool) (next *dir, to string, err error) {
	next, err = d.open(name)
	if err == unix.ENOENT && makes {
		if err = d.make(name); err == nil || err == unix.EEXIST {
			next, err = d.open(name)
		}
	}
	if err != unix.ENOTDIR && err != unix.ELOOP {
		return next, "", err
	}
	st, err := d.stat(name)
	switch {
	case err != nil:
		return nil, "", err
	case st.Mode&unix.S_IFMT != unix.S_IFLNK:
		return nil, "", unix.ENOTDIR
	case d.foreign || d.othersWrite():
		return nil, "", &unplanned{what: fmt.Sprintf("a symlink of user %d in the place of directory %q, where others may write,", st.Uid, d.join(name)),
			instead: "its real path"}
	}
	to, err = d.readlink(name)
	return nil, to, err
}

// othersWrite reports whether another user than root and confit's own may put
// something in the directory. The top is reached from nowhere.
func (d *dir) othersWrite() bool {
	return d.fd != unix.AT_FDCWD && (!files.Own(d.st.Uid) || d.st.Mode&0o022 != 0)
}

// isSticky reports a directory in which nobody but root and confit's own user can
// rename a directory of theirs: inode(7).
func (d *dir) isSticky() bool { return files.Own(d.st.Uid) && d.st.Mode&unix.S_ISVTX != 0 }

// mayReplace reports that confit may work in the directory, where it worked in
// another one before. Who may write to a directory above can put there what he
// may rename. So it must be of the user that the one before was of, or of the user
// in whose directory it stands. Root and confit's own user count as one.
func (d *dir) mayReplace(was unix.Stat_t) bool {
	uid := d.st.Uid
	switch {
	case !d.foreign, d.st.Dev == was.Dev && d.st.Ino == was.Ino:
		return true
	case files.Own(uid):
		return files.Own(was.Uid)
	}
	return uid == was.Uid || uid == d.above
}

// make makes a missing directory, 0755 whatever the umask.
func (d *dir) make(name string) error {
	f, err := d.mkdir(name, files.DirMode)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Chmod(files.DirMode)
}

// mkdir makes and opens a directory. Who may write to the one above may have
// exchanged it by now. So it must be confit's own and empty, and its owner and
// mode are set through the descriptor.
func (d *dir) mkdir(name string, mode uint32) (*os.File, error) {
	if err := again(func() error { return unix.Mkdirat(d.fd, name, mode) }); err != nil {
		return nil, err
	}
	f, err := d.openFile(name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	var st unix.Stat_t
	if err := unix.Fstat(int(f.Fd()), &st); err != nil || st.Uid != uint32(files.Euid) || !isEmpty(f) {
		f.Close()
		return nil, errors.Join(err, errors.New("it was replaced meanwhile"))
	}
	return f, nil
}

// makeParents makes a directory and those above it that are missing.
func makeParents(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	d, err := openDir(path, true)
	if err == nil {
		d.close()
	}
	return err
}

// makeLike makes a directory with another's owner, group and mode, as far as the
// kernel permits, but never set-user-ID. The mode comes last, as chown(2) clears
// set-group-ID.
func (d *dir) makeLike(name string, st *unix.Stat_t) error {
	f, err := d.mkdir(name, 0o700)
	if err != nil {
		return err
	}
	defer f.Close()
	fd := int(f.Fd())
	if err := unix.Fchown(fd, int(st.Uid), int(st.Gid)); err != nil {
		_ = unix.Fchown(fd, -1, int(st.Gid)) // EPERM: only root may give away
	}
	return unix.Fchmod(fd, st.Mode&0o3777)
}

// openFile opens a file in the directory, and follows no link.
func (d *dir) openFile(name string, flags int, mode uint32) (f *os.File, err error) {
	err = again(func() error {
		fd, err := unix.Openat(d.fd, name, flags|unix.O_NOFOLLOW|unix.O_CLOEXEC, mode)
		if err == nil {
			f = os.NewFile(uintptr(fd), d.join(name))
		}
		return err
	})
	return f, err
}

// list lists the directory.
func (d *dir) list() ([]fs.DirEntry, error) {
	f, err := d.openFile(".", unix.O_RDONLY|unix.O_DIRECTORY, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return f.ReadDir(-1)
}

// writable is the error of whatever would be made in the directory.
func (d *dir) writable() error { return unix.Faccessat(d.fd, ".", unix.W_OK, unix.AT_EACCESS) }

func isEmpty(f *os.File) bool {
	_, err := f.Readdirnames(1)
	return err == io.EOF
}

func (d *dir) close() { _ = unix.Close(d.fd) }

// join is the path of a name in the directory, for messages.
func (d *dir) join(name string) string { return strings.TrimSuffix(d.path, "/") + "/" + name }

// again makes a system call that a signal may interrupt.
func again(call func() error) error {
	for {
		if err := call(); err != unix.EINTR {
			return err
		}
	}
}

// unplanned is something at a target for which the step was not planned.
type unplanned struct {
	what    string
	instead string // what to write, "" for another target
}

func (e *unplanned) Error() string { return "by now there is " + e.what }

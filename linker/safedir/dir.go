// Package safedir leads to a directory that others may change, and works on names there. All that
// confit writes, it writes with this package.
//
// It guarantees that
//   - no symlink leads elsewhere where another user than root and confit's own may write;
//   - a directory is worked on as it was opened, whatever is put in its place meanwhile, and no
//     symlink in it is followed;
//   - only [Dir.Rename], [Dir.Replace] and [Dir.Put] replace what has a name;
//   - a file or directory that it makes is one that it made itself, has the mode that was asked
//     for, whatever the umask, and is never set-user-ID; where there is a /proc, no mode is set by
//     a system call that old kernels lack or seccomp profiles refuse;
//   - nothing that it opens blocks;
//   - its errors name no path: a caller says which.
//
// It does not know what confit puts there, and why.
package safedir

import (
	"fmt"
	"os"
	"path"
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// Dir is an opened directory, in which files are worked on by name. It stays the same one, whatever
// somebody puts in the place of its path. Any goroutine may use it until it is closed.
type Dir struct {
	St      files.Stat // of the directory, when it was opened
	fd      int
	path    string // as written
	above   uint32 // whose the directory above it is
	foreign bool   // others may have put it there: they may write to a directory above it
}

// Blocked is the error of what stands where nobody planned for it: on the way to a directory, or at
// a name in it.
type Blocked struct {
	What    string // what it is, with its article
	Instead string // what to write, "" for another target
}

func (e *Blocked) Error() string { return "by now there is " + e.What }

// maxLinks is how many symlinks may be on a way, as for the kernel: path_resolution(7).
const maxLinks = 40

// Open goes the way to a directory, element by element. It follows symlinks as long as only root
// and confit's own user could have put them there. From the first directory on to which others may
// write, a symlink is refused as [*Blocked]. makes says that missing directories are made.
func Open(path string, makes bool) (*Dir, error) {
	d, err := openTop()
	way := strings.Split(path, "/")
	for links := 0; err == nil && len(way) > 0; {
		var next *Dir
		var to string
		name := way[0]
		way = way[1:]
		if name == "" || name == "." {
			continue
		}
		next, to, err = d.follow(name, makes)
		if to != "" {
			way = append(strings.Split(to, "/"), way...)
			links++
		}
		if links > maxLinks {
			err = unix.ELOOP
		}
		d.Close()
		d = next
	}
	if err != nil {
		d.Close()
		return nil, err
	}
	d.path = path
	return d, nil
}

func openTop() (*Dir, error) { return (&Dir{fd: unix.AT_FDCWD}).open("/") }

// At opens a directory that somebody named, wherever symlinks lead.
func At(path string) (*Dir, error) { return (&Dir{fd: unix.AT_FDCWD}).open(path + "/.") }

// open opens a directory in another one. What is no directory is ENOTDIR. O_PATH opens whatever is
// there, and blocks nowhere; with O_DIRECTORY gVisor would follow a last symlink, O_NOFOLLOW or
// not.
func (d *Dir) open(name string) (*Dir, error) {
	fd, err := d.OpenFile(name, unix.O_PATH, 0)
	if err != nil {
		return nil, err
	}
	next := &Dir{fd: int(fd), above: d.St.Uid, path: d.Join(name)}
	if next.St, err = fd.Stat(); err == nil && !next.St.IsDir() {
		err = unix.ENOTDIR
	}
	if err != nil {
		next.Close()
		return nil, err
	}
	next.foreign = d.foreign || d.othersWrite() && (!files.Own(next.St.Uid) || !d.isSticky())
	return next, nil
}

// enter opens a directory in another one. makes says that a missing one is made: 0755, or 0555
// where its user can't write.
func (d *Dir) enter(name string, makes bool) (*Dir, error) {
	next, err := d.open(name)
	if err == unix.ENOENT && makes {
		err = d.Unshut(func() error { return Made(d.Make(name, 0o555|d.St.Mode&unix.S_IWUSR)) })
		if err == nil || err == unix.EEXIST {
			next, err = d.open(name)
		}
	}
	return next, err
}

// In calls do with the directory of what a path leads to from here, as by Enter, and with the name
// there.
func (d *Dir) In(below string, makes bool, do func(in *Dir, name string) error) error {
	in, err := d.Enter(path.Dir(below), makes)
	if err != nil {
		return err
	}
	defer in.Close()
	return do(in, path.Base(below))
}

// Enter opens a directory below this one, and follows no link on the way. makes says that missing
// ones are made.
func (d *Dir) Enter(path string, makes bool) (*Dir, error) {
	at := d
	for name := range strings.SplitSeq(path, "/") {
		next, err := at.enter(name, makes)
		if at != d {
			at.Close()
		}
		if err != nil {
			return nil, err
		}
		at = next
	}
	return at, nil
}

// follow takes one element of a way: it opens a directory, or that from which a symlink leads that
// may be followed.
func (d *Dir) follow(name string, makes bool) (next *Dir, to string, err error) {
	next, err = d.enter(name, makes)
	if err != unix.ENOTDIR && err != unix.ELOOP {
		return next, "", err
	}
	st, err := d.Stat(name)
	switch {
	case err != nil:
		return nil, "", err
	case !st.IsLink():
		return nil, "", unix.ENOTDIR
	case d.foreign || d.othersWrite():
		return nil, "", &Blocked{What: fmt.Sprintf(
			"a symlink of user %d in the place of directory %q, where others may write,", st.Uid, d.Join(name)),
			Instead: "its real path"}
	}
	to, err = d.Readlink(name)
	switch {
	case err != nil:
	case strings.HasPrefix(to, "/"):
		next, err = openTop()
	default:
		next, err = d.open(".")
	}
	return next, to, err
}

// Become makes this directory another one, which is closed, for all who hold it: a call on another
// goroutine works in the one or the other.
func (d *Dir) Become(other *Dir) error {
	err := unix.Dup3(other.fd, d.fd, unix.O_CLOEXEC)
	if err == nil {
		d.St, d.above, d.foreign = other.St, other.above, other.foreign
	}
	other.Close()
	return err
}

// Leads reports that the path, wherever symlinks lead, still leads to this directory.
func (d *Dir) Leads(path string) bool {
	var now files.Stat
	err := unix.Stat(path, &now.Stat_t)
	return err == nil && now.Same(d.St)
}

// othersWrite reports whether another user than root and confit's own may put something here.
// Nothing is above the top.
func (d *Dir) othersWrite() bool {
	return d.fd != unix.AT_FDCWD && (!files.Own(d.St.Uid) || d.St.Mode&0o022 != 0)
}

// isSticky reports a directory in which only root and confit's own user can rename a directory of
// theirs: inode(7).
func (d *Dir) isSticky() bool { return files.Own(d.St.Uid) && d.St.Mode&unix.S_ISVTX != 0 }

// MayReplace reports that confit may work in the directory, where it worked in another one before.
// Who may write to a directory above can put there what he may rename. So it must be of the user
// that the one before was of, or of the user in whose directory it stands. Root and confit's own
// user count as one.
func (d *Dir) MayReplace(was files.Stat) bool {
	uid := d.St.Uid
	switch {
	case !d.foreign, d.St.Same(was):
		return true
	case files.Own(uid):
		return files.Own(was.Uid)
	}
	return uid == was.Uid || uid == d.above
}

// Dangling is the symlink on the way to a directory that leads where nothing is yet, and where that
// is; "": none.
func Dangling(dir string) (link, to string) {
	for ; dir != "/"; dir = path.Dir(dir) {
		if _, err := os.Stat(dir); err == nil {
			break
		}
		if to, err := os.Readlink(dir); err == nil {
			return dir, to
		}
	}
	return "", ""
}

// MakeParents makes a directory and those above it that are missing.
func MakeParents(path string) error {
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	return Made(Open(path, true))
}

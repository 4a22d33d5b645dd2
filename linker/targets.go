package linker

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"

	"golang.org/x/sys/unix"
)

// planTargets is plan on the file system as it is.
func (l *Linker) planTargets(wanted map[string]want) ([]step, error) {
	wanted, made := l.astray(wanted)
	return plan(wanted, made, func(target string) place {
		return l.find(target, wanted[target].dest)
	})
}

// astray picks the targets that are not as wanted, and those that confit made
// and that are no longer wanted. That all is right takes one readlink(2) each.
func (l *Linker) astray(wanted map[string]want) (missed map[string]want, unwanted map[string]string) {
	missed, unwanted = map[string]want{}, map[string]string{}
	for target, w := range wanted {
		if !leadsTo(target, w.dest) {
			missed[target] = w
		}
	}
	for target, dest := range l.made {
		if _, keep := wanted[target]; !keep {
			unwanted[target] = dest
		}
	}
	return missed, unwanted
}

// leadsTo reports whether a path is a symlink to dest. It takes no memory.
func leadsTo(path, dest string) bool {
	var buf [unix.PathMax]byte
	n, err := unix.Readlink(path, buf[:])
	return err == nil && string(buf[:n]) == dest
}

// find looks at what stands at a target that is to point at dest, "" if it is
// to go.
func (l *Linker) find(target, dest string) place {
	p := lookAt(target)
	if to, err := os.Readlink(target); err == nil {
		switch {
		case to == dest && dest != "":
			return place{standing: rightLink}
		case l.ours(target, to):
			p.standing, p.link = ourLink, to
		}
	}
	p.kept = l.keeps(target)
	_, p.linked = l.linked[target]
	return p
}

// lookAt tells what stands at a path, whoever made it.
func lookAt(path string) place {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return place{standing: nothing, what: "nothing"}
	case err != nil:
		return place{standing: immovable, what: fmt.Sprintf("something unreadable (%v)", cause(err))}
	case info.Mode()&fs.ModeSymlink != 0:
		return place{standing: aFile, what: describe(info.Mode())}
	case mounted(path):
		return place{standing: immovable, what: "a mount point"}
	case info.Mode().IsRegular():
		return place{standing: aFile, what: describe(info.Mode())}
	case !info.IsDir():
		return place{standing: immovable, what: "a device, socket or FIFO"}
	}
	if names, err := os.ReadDir(path); err != nil || len(names) > 0 {
		return place{standing: immovable, what: "a directory that isn't empty"}
	}
	return place{standing: emptyDir, what: "an empty directory"}
}

// mounted reports whether something is mounted on a path that is no symlink.
// statx(2) tells since Linux 5.8, where a seccomp profile lets it.
func mounted(path string) bool {
	var st unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, unix.AT_SYMLINK_NOFOLLOW, unix.STATX_TYPE, &st)
	if err == nil && st.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT != 0 {
		return st.Attributes&unix.STATX_ATTR_MOUNT_ROOT != 0
	}
	return inMountinfo(path)
}

// inMountinfo looks a path up in /proc/self/mountinfo, proc(5). Without /proc nothing
// is known: then rename(2) refuses what is mounted, with EBUSY.
func inMountinfo(path string) bool {
	const mountPoint = 4 // the fifth field, in which these are octal
	name := []byte(resolver{}.path(path))
	mounts, _ := os.ReadFile("/proc/self/mountinfo")
	for line := range bytes.Lines(mounts) {
		if fields := bytes.Fields(line); len(fields) > mountPoint && bytes.Equal(unescaped(fields[mountPoint]), name) {
			return true
		}
	}
	return false
}

// unescaped reads a path of mountinfo, where \040 is a blank.
func unescaped(field []byte) []byte {
	var path []byte
	for i := 0; i < len(field); i++ {
		if n, err := strconv.ParseUint(string(field[min(i+1, len(field)):min(i+4, len(field))]), 8, 8); field[i] == '\\' && err == nil {
			path, i = append(path, byte(n)), i+3
			continue
		}
		path = append(path, field[i])
	}
	return path
}

// ours reports whether a symlink at target is one that confit made: it leads
// into the live generation, or the list says so.
func (l *Linker) ours(target, to string) bool {
	return inside(to, filepath.Join(l.state.path, liveName)) || (to != "" && l.made[target] == to)
}

// keeps reports whether something is kept beside a target. A link of ours under
// that name is a leftover.
func (l *Linker) keeps(target string) bool {
	kept := keptFor(target)
	if to, err := os.Readlink(kept); err == nil {
		return !l.ours(target, to)
	}
	_, err := os.Lstat(kept)
	return err == nil
}

// keptFor is where that which stood at a target is kept while it is covered:
// in the same directory, so that it is there and back in one rename.
func keptFor(target string) string { return beside(target, keptPrefix) }

// replacedFor is where the newest of what was written in the place of our link
// is kept. It never comes back by itself.
func replacedFor(target string) string { return beside(target, replacedPrefix) }

func tmpFor(target string) string {
	return filepath.Join(filepath.Dir(target), tmpPrefix+randomName())
}

func beside(target, prefix string) string {
	return filepath.Join(filepath.Dir(target), prefix+filepath.Base(target))
}

package linker

import (
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/target"
)

// noteDirectories names targets that are one link to a whole directory, where a slash was meant
// more often than not, and directories that are to be made, but for those of a tree: they may be
// misspelt.
func (e *explanation) noteDirectories() {
	for _, s := range e.links {
		dir := string(s.Target)
		if s.Kind != lines.Glob {
			dir = filepath.Dir(dir)
		}
		if s.Use == Linked && files.Missing(dir) && e.checkDir(dir, func(error) {}) {
			e.notef("directory %q isn't there: a start makes it", dir)
		}
		if s.Kind == lines.WholeDir {
			err := s.Errorf(
				"target %q becomes a link itself: find and Go's WalkDir don't enter it, and no app keeps files there; %q is a directory with a link for each key",
				s.Target, s.Target+"/")
			e.notef("%v", err)
		}
	}
}

// checkDir reports whether a target can be made in a directory, which need not be there yet. What
// keeps it from that is noted, or refused.
func (e *explanation) checkDir(dir string, refuse func(error)) bool {
	err := unix.Faccessat(unix.AT_FDCWD, dir, unix.W_OK|unix.X_OK, unix.AT_EACCESS)
	switch {
	case err == nil && !files.IsKernels(dir):
		return true
	case err == nil:
		refuse(fmt.Errorf(
			"cannot link targets in %q: it is the kernel's, and has no place for links; write another target", dir))
	case err == unix.ENOENT && dir != "/":
		above := filepath.Dir(dir)
		if to, err := os.Readlink(dir); err == nil {
			e.notef("directory %q is a symlink to %q, where nothing is: a start makes a directory there", dir, to)
			above = filepath.Join(above, to)
			if filepath.IsAbs(to) {
				above = to
			}
		}
		return e.checkDir(above, refuse)
	default:
		err = fmt.Errorf("cannot link targets in %q: %w%s", dir, err, target.ReadOnlyHint(dir, err))
		if e.config.Pod {
			refuse(err)
		} else {
			e.notef("%v", err)
		}
	}
	return false
}

package seed

import (
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"confit/linker/files"
)

// lock keeps other seeds out of a volume until the file is closed, or confit is killed: init
// containers may run side by side, and one would sweep what the other is about to name. It locks the
// topmost directory of the volume, which all of them see, as the path itself may be missing. Where
// that can't be locked, nothing is.
func lock(path string) *os.File {
	var volume *os.File
	var top unix.Stat_t
	for dir := (files.Resolver{}).Dir(path); ; dir = filepath.Dir(dir) {
		var st unix.Stat_t
		there := unix.Stat(dir, &st) == nil
		if there && volume != nil && st.Dev != top.Dev {
			break
		}
		if there {
			volume.Close() // nil: it is the first one
			top = st
			volume, _ = os.Open(dir)
		}
		if dir == "/" {
			break
		}
	}
	for volume != nil && unix.Flock(int(volume.Fd()), unix.LOCK_EX) == unix.EINTR {
	}
	return volume
}

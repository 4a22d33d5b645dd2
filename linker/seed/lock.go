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
	topmost, seen := "", unix.Stat_t{}
	for dir := (files.Resolver{}).Dir(path); ; dir = filepath.Dir(dir) {
		var st unix.Stat_t
		if unix.Stat(dir, &st) == nil {
			if topmost != "" && st.Dev != seen.Dev {
				break
			}
			topmost, seen = dir, st
		}
		if dir == "/" {
			break
		}
	}
	volume, _ := os.Open(topmost)
	for volume != nil && unix.Flock(int(volume.Fd()), unix.LOCK_EX) == unix.EINTR {
	}
	return volume
}

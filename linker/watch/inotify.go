package watch

import (
	"encoding/binary"
	"os"

	"golang.org/x/sys/unix"
)

// Inotify is an instance of inotify(7), whose events are read as long as confit lives. To close
// one takes the kernel some ten milliseconds, to remove a watch doesn't.
type Inotify struct {
	File *os.File // its events
	fd   int      // the same; File.Fd would make reads block
}

// newInotify makes an instance. note gets its events, one behind the other, on a goroutine of its
// own.
func newInotify(note func(events []byte)) (*Inotify, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, err
	}
	i := &Inotify{os.NewFile(uintptr(fd), "inotify"), fd}
	go i.read(note)
	return i, nil
}

// read reads some dozen events at a time. A larger buffer would be memory that each pod has to
// have, and nobody is faster by it: one hint stands for all.
func (i *Inotify) read(note func(events []byte)) {
	var buffer [4096]byte
	for {
		n, err := i.File.Read(buffer[:])
		if err != nil {
			return
		}
		note(buffer[:n])
	}
}

// add watches a directory. It has the watch that it had before, unless another one has its path by
// now: inotify_add_watch(2) goes by the inode.
func (i *Inotify) add(dir string, mask uint32) (watch int32, err error) {
	wd, err := unix.InotifyAddWatch(i.fd, dir, mask)
	return int32(wd), err
}

func (i *Inotify) remove(watch int32) {
	_, _ = unix.InotifyRmWatch(i.fd, uint32(watch)) // EINVAL: its directory is gone
}

// next takes the first of several events, struct inotify_event of inotify(7). Zero bytes follow the
// name.
func next(events []byte) (watch int32, mask uint32, name, rest []byte) {
	const head = unix.SizeofInotifyEvent // wd, mask, cookie, len
	word := binary.NativeEndian.Uint32
	end := head + int(word(events[12:]))
	return int32(word(events)), word(events[4:]), events[head:end], events[end:]
}

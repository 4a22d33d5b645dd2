package linker

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// opens finds out whether anybody opens a changed key of the generation that
// was published: IN_OPEN of inotify(7), which fires whatever path or link led
// there, and not for a stat(2). Each directory is watched, and not each of what
// may be ten thousand keys: the event names the file. fsnotify doesn't offer it.
//
// The instance is kept once there is one: to close it takes the kernel a grace
// period of some ten milliseconds, to remove a watch doesn't.
type opens struct {
	hints   chan struct{} // capacity 1
	inotify *os.File      // nil before the first watch
	fd      int           // its own: File.Fd would make it block

	mutex   sync.Mutex
	watched map[int32]map[string]bool // names of changed keys, by the watch of their directory
}

// watch watches directories below top for the names in each.
func (o *opens) watch(top string, changed map[string]map[string]bool) error {
	if err := o.start(); err != nil {
		return err
	}
	o.mutex.Lock() // no event is looked at before its watch is known
	defer o.mutex.Unlock()
	o.watched = map[int32]map[string]bool{}
	for dir, names := range changed {
		wd, err := unix.InotifyAddWatch(o.fd, filepath.Join(top, dir), unix.IN_OPEN|unix.IN_ONLYDIR)
		if err != nil {
			return err
		}
		o.watched[int32(wd)] = names
	}
	return nil
}

func (o *opens) start() error {
	if o.inotify != nil {
		return nil
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return err
	}
	o.fd, o.inotify = fd, os.NewFile(uintptr(fd), "inotify")
	go o.wait()
	return nil
}

// wait runs as long as the instance.
func (o *opens) wait() {
	var buffer [4096]byte
	for {
		n, err := o.inotify.Read(buffer[:])
		if err != nil {
			return
		}
		if o.opened(buffer[:n]) {
			select {
			case o.hints <- struct{}{}:
			default:
			}
		}
	}
}

// opened looks for one of the names among events, struct inotify_event of
// inotify(7). When the queue has overflowed, somebody has opened very much.
func (o *opens) opened(events []byte) bool {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	const head = unix.SizeofInotifyEvent // wd, mask, cookie, len
	word := binary.NativeEndian.Uint32
	for len(events) >= head {
		wd, mask, end := int32(word(events)), word(events[4:]), head+int(word(events[12:]))
		name := strings.TrimRight(string(events[head:end]), "\x00")
		if mask&unix.IN_Q_OVERFLOW != 0 || o.watched[wd][name] && mask&unix.IN_ISDIR == 0 {
			return true
		}
		events = events[end:]
	}
	return false
}

func (o *opens) unwatch() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for wd := range o.watched {
		_, _ = unix.InotifyRmWatch(o.fd, uint32(wd)) // EINVAL: its directory is gone
	}
	o.watched = nil
}

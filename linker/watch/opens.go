package watch

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Opens finds out whether anybody opens a changed key of the published
// generation, by IN_OPEN of inotify(7). That fires whatever path or link led to
// the key, and not for a stat(2). It watches directories, as the event names
// the file, and not each of what may be ten thousand keys. fsnotify doesn't
// offer IN_OPEN.
//
// The instance is kept: to close it takes the kernel some ten milliseconds, to
// remove a watch doesn't.
type Opens struct {
	Hints   chan struct{} // capacity 1
	inotify *os.File      // nil before the first watch
	fd      int           // of inotify; File.Fd would make reads block

	mutex   sync.Mutex
	watched map[int32]map[string]bool // by watch of a directory: the names of its changed keys
}

// NewOpens makes one that watches nothing yet.
func NewOpens() *Opens { return &Opens{Hints: make(chan struct{}, 1)} }

// Watch watches directories below top for the given names in each, once nothing else is
// watched: see [Opens.Unwatch]. The error is that of inotify.
func (o *Opens) Watch(top string, changed map[string]map[string]bool) error {
	if err := o.start(); err != nil {
		return err
	}
	o.mutex.Lock() // no event is judged before its watch is known
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

func (o *Opens) start() error {
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
func (o *Opens) wait() {
	var buffer [4096]byte
	for {
		n, err := o.inotify.Read(buffer[:])
		if err != nil {
			return
		}
		o.note(buffer[:n])
	}
}

// note makes a hint of events, unless what they are about is no longer watched.
func (o *Opens) note(events []byte) {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	if o.opened(events) {
		select {
		case o.Hints <- struct{}{}:
		default:
		}
	}
}

// opened looks for one of the names among events, struct inotify_event of
// inotify(7). An overflow of the queue counts, too: somebody has opened very
// much.
func (o *Opens) opened(events []byte) bool {
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

// Unwatch ends it. No hint is left that was about what was watched.
func (o *Opens) Unwatch() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	select {
	case <-o.Hints:
	default:
	}
	for wd := range o.watched {
		_, _ = unix.InotifyRmWatch(o.fd, uint32(wd)) // EINVAL: its directory is gone
	}
	o.watched = nil
}

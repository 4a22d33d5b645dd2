package watch

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Opens finds out whether anybody opens a changed key of the published generation, by IN_OPEN of
// inotify(7). That fires whatever path or link led to the key, and not for a stat(2). It watches
// directories, as the event names the file, and not each of what may be ten thousand keys. fsnotify
// doesn't offer that event, so it reads an instance of its own.
type Opens struct {
	Hints  chan struct{} // capacity 1
	events *os.File      // nil before the first watch; read as long as confit lives
	fd     int           // the same; File.Fd would make reads block

	mutex   sync.Mutex
	watched map[int]map[string]bool // by watch of a directory: the names of its changed keys
}

// NewOpens makes one that watches nothing yet.
func NewOpens() *Opens { return &Opens{Hints: make(chan struct{}, 1)} }

// Watch watches directories below top for given names in each, once nothing else is watched: see
// [Opens.Unwatch]. The error is inotify's.
func (o *Opens) Watch(top string, changed map[string]map[string]bool) error {
	if err := o.start(); err != nil {
		return err
	}
	o.mutex.Lock() // no event is judged before its watch is known
	defer o.mutex.Unlock()
	o.watched = map[int]map[string]bool{}
	for dir, names := range changed {
		watch, err := unix.InotifyAddWatch(o.fd, filepath.Join(top, dir), unix.IN_OPEN|unix.IN_ONLYDIR)
		if err != nil {
			return err
		}
		o.watched[watch] = names
	}
	return nil
}

func (o *Opens) start() (err error) {
	if o.events != nil {
		return nil
	}
	if o.fd, err = unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK); err == nil {
		o.events = os.NewFile(uintptr(o.fd), "inotify")
		go o.read()
	}
	return err
}

// read reads some dozen events at a time. A larger buffer would be memory that each pod has to
// have, and nobody is faster by it: one hint stands for all.
func (o *Opens) read() {
	var buffer [4096]byte
	for {
		n, err := o.events.Read(buffer[:])
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
		hint(o.Hints)
	}
}

// opened looks for one of the names among events: struct inotify_event of inotify(7), whose name is
// followed by zero bytes. An overflow of the queue counts, too: somebody has opened very much.
func (o *Opens) opened(events []byte) bool {
	const head = unix.SizeofInotifyEvent // wd, mask, cookie, len
	for word := binary.NativeEndian.Uint32; len(events) > 0; {
		watch, mask, end := int(int32(word(events))), word(events[4:]), head+int(word(events[12:]))
		name := strings.TrimRight(string(events[head:end]), "\x00")
		if mask&unix.IN_Q_OVERFLOW != 0 || mask&unix.IN_ISDIR == 0 && o.watched[watch][name] {
			return true
		}
		events = events[end:]
	}
	return false
}

// Watches reports that something is watched.
func (o *Opens) Watches() bool { return o.watched != nil }

// Unwatch ends it. No hint is left that was about what was watched.
func (o *Opens) Unwatch() {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	select {
	case <-o.Hints:
	default:
	}
	for watch := range o.watched {
		_, _ = unix.InotifyRmWatch(o.fd, uint32(watch)) // EINVAL: its directory is gone
	}
	o.watched = nil
}

package watch

import (
	"path/filepath"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Opens finds out whether anybody opens a changed key of the published
// generation, by IN_OPEN of inotify(7). That fires whatever path or link led to
// the key, and not for a stat(2). It watches directories, as the event names
// the file, and not each of what may be ten thousand keys. Its instance is its
// own: a directory that is watched for changes, too, would have one watch for both.
type Opens struct {
	Hints   chan struct{} // capacity 1
	inotify *Inotify      // nil before the first watch

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
		watch, err := o.inotify.add(filepath.Join(top, dir), unix.IN_OPEN|unix.IN_ONLYDIR)
		if err != nil {
			return err
		}
		o.watched[watch] = names
	}
	return nil
}

func (o *Opens) start() (err error) {
	if o.inotify == nil {
		o.inotify, err = newInotify(o.note)
	}
	return err
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

// opened looks for one of the names among events. An overflow of the queue counts,
// too: somebody has opened very much.
func (o *Opens) opened(events []byte) bool {
	for len(events) > 0 {
		watch, mask, name, rest := next(events)
		if mask&unix.IN_Q_OVERFLOW != 0 || mask&unix.IN_ISDIR == 0 && o.watched[watch][strings.TrimRight(string(name), "\x00")] {
			return true
		}
		events = rest
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
		o.inotify.remove(watch)
	}
	o.watched = nil
}

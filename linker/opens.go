package linker

import (
	"encoding/binary"
	"os"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// opens finds out whether anybody opens a changed key of the generation that
// was published: IN_OPEN of inotify(7), which fires whatever path or link led
// there, and not for a stat(2). Each directory is watched, and not each of what
// may be ten thousand keys: the event names the file. fsnotify doesn't offer it.
type opens struct {
	hints   chan struct{} // capacity 1
	inotify *os.File      // nil when nothing is watched
}

// Opens receives a value when somebody has opened a changed key since
// [Linker.WatchOpens].
func (l *Linker) Opens() <-chan struct{} { return l.opens.hints }

// WatchOpens watches the keys of the published candidate whose bytes differ from
// what was accepted, instead of those that were watched before. It reports
// whether they are watched: not when nothing but direct keys has changed, or
// when inotify is refused.
func (l *Linker) WatchOpens() bool {
	l.opens.close()
	select {
	case <-l.opens.hints:
	default:
	}
	g := l.staged
	if g == nil {
		return false
	}
	changed := map[string]map[string]bool{}
	for _, c := range changes(l.live, g) {
		f, there := g.files[c.Key]
		if !there || f.direct || c.ModeOnly {
			continue
		}
		dir := path.Dir(c.Key)
		if changed[dir] == nil {
			changed[dir] = map[string]bool{}
		}
		changed[dir][path.Base(c.Key)] = true
	}
	return len(changed) > 0 && l.opens.watch(g.Dir, changed) == nil
}

// UnwatchOpens ends it.
func (l *Linker) UnwatchOpens() { l.opens.close() }

// watch watches directories below top for the names in each.
func (o *opens) watch(top string, changed map[string]map[string]bool) error {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return err
	}
	inotify := os.NewFile(uintptr(fd), "inotify")
	names := map[int32]map[string]bool{}
	for dir, files := range changed {
		wd, err := unix.InotifyAddWatch(fd, filepath.Join(top, dir), unix.IN_OPEN|unix.IN_ONLYDIR)
		if err != nil {
			inotify.Close()
			return err
		}
		names[int32(wd)] = files
	}
	o.inotify = inotify
	go o.wait(inotify, names)
	return nil
}

// wait runs until close.
func (o *opens) wait(inotify *os.File, names map[int32]map[string]bool) {
	var buffer [4096]byte
	for {
		n, err := inotify.Read(buffer[:])
		if err != nil {
			return
		}
		if opened(buffer[:n], names) {
			select {
			case o.hints <- struct{}{}:
			default:
			}
		}
	}
}

// opened looks for one of the names among events, struct inotify_event of
// inotify(7). When the queue has overflowed, somebody has opened very much.
func opened(events []byte, names map[int32]map[string]bool) bool {
	const head = unix.SizeofInotifyEvent // wd, mask, cookie, len
	word := binary.NativeEndian.Uint32
	for len(events) >= head {
		wd, mask, end := int32(word(events)), word(events[4:]), head+int(word(events[12:]))
		name := strings.TrimRight(string(events[head:end]), "\x00")
		if mask&unix.IN_Q_OVERFLOW != 0 || names[wd][name] && mask&unix.IN_ISDIR == 0 {
			return true
		}
		events = events[end:]
	}
	return false
}

func (o *opens) close() {
	if o.inotify != nil {
		o.inotify.Close()
		o.inotify = nil
	}
}

// Package statusfile has status.json written, by a goroutine of its own: nobody waits for a disk
// that is slow, and a volume that hangs freezes nobody.
//
// It guarantees that
//   - the newest status is written in the end, and one that came too fast after another is left
//     out;
//   - what could not be written is written when the next one is shown, though nothing has changed
//     since.
//
// It doesn't know what a status says, nor where the file lies.
package statusfile

import (
	"cmp"
	"log/slog"
	"reflect"
	"runtime/debug"
	"sync/atomic"
	"time"

	"confit/linker"
	"confit/signals"
	"confit/status"
)

// File is status.json. But for NoteVolumes and Again all is called by one goroutine.
type File struct {
	write     func(data []byte) error // replaces the file
	log       *slog.Logger
	last      shown         // what was written last, or is about to be
	newest    chan shown    // holds one
	written   chan struct{} // closed after the last one
	unwritten atomic.Bool   // the last one could not be written, as on a full disk
	volumes   atomic.Pointer[[]linker.VolumeStatus]
}

// shown is a status to be written.
type shown struct {
	status.Status
	keys    *linker.Sums           // of what was accepted last; nil: nothing was yet
	volumes *[]linker.VolumeStatus // as the linker found them
}

// New is a file that write replaces. The log says why it can't be written, once for each reason.
func New(write func(data []byte) error, log *slog.Logger) *File {
	f := &File{write: write, log: log, newest: make(chan shown, 1), written: make(chan struct{})}
	go f.writeAll()
	return f
}

// NoteVolumes takes up what the linker found. A look that finds the volumes as they were notes
// nothing: each note makes another status.
func (f *File) NoteVolumes(list []linker.VolumeStatus) {
	if !reflect.DeepEqual(f.volumes.Load(), &list) {
		f.volumes.Store(&list)
	}
}

// Again has the next Show replace the file, which may be gone, though nothing has changed.
func (f *File) Again() { f.unwritten.Store(true) }

// Show has the file replaced if there is something new to say, or if what was said last could not
// be written. keys are those of what is accepted; nil: those shown last. Nothing in the status may
// change later.
func (f *File) Show(s status.Status, keys *linker.Sums) {
	now := shown{s, cmp.Or(keys, f.last.keys), f.volumes.Load()}
	if reflect.DeepEqual(now.Status, f.last.Status) && now.keys == f.last.keys && now.volumes == f.last.volumes &&
		!f.unwritten.Load() {
		return
	}
	f.last = now
	f.unwritten.Store(false)
	select {
	case <-f.newest: // it was not written yet
	default:
	}
	now.Updated = status.At(time.Now())
	f.newest <- now
}

// Close ends the file. The channel that it returns is closed when the newest status is written.
func (f *File) Close() <-chan struct{} {
	close(f.newest)
	return f.written
}

// writeAll writes each status that Show hands over, until there are no more.
func (f *File) writeAll() {
	defer close(f.written)
	said := ""
	for s := range f.newest {
		s = f.coalesce(s)
		err := signals.WithoutSignals(signals.PanicAsError(func() error {
			data := s.encode()
			if len(data) > large {
				defer debug.FreeOSMemory()
			}
			return f.write(data)
		}))
		f.unwritten.Store(err != nil)
		if err != nil && err.Error() != said {
			said = err.Error()
			f.log.Warn("status not written", "error", said)
		}
	}
}

// large is the size in bytes from which on the memory that a status took goes back to the system at
// once: 10,000 keys take 7 MB.
const large = 256 << 10

// coalesceTime is how long a status waits for a newer one: many transactions are over by then, and
// nothing is written while the app is to be reloaded.
const coalesceTime = 20 * time.Millisecond

func (f *File) coalesce(s shown) shown {
	over := time.After(coalesceTime)
	for {
		select {
		case newer, more := <-f.newest:
			if !more {
				return s
			}
			s = newer
		case <-over:
			return s
		}
	}
}

// encode adds what only the linker knows.
func (s shown) encode() []byte {
	if s.keys != nil {
		s.Keys = s.keys.ByKey()
	}
	if s.volumes != nil {
		for _, v := range *s.volumes {
			s.Volumes = append(s.Volumes, status.Volume(v))
		}
	}
	return s.Encode()
}

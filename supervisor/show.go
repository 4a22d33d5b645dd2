package supervisor

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"reflect"
	"runtime/debug"
	"slices"
	"time"

	"confit/config"
	"confit/linker"
	"confit/signals"
	"confit/status"
	"confit/supervisor/app"
)

// isFleeting reports a phase that passes by itself within moments. The status leaves
// it out: the app is reloaded first, and nothing is written if no key has changed.
func (s *state) isFleeting(c *config.Config) bool {
	switch s.shown() {
	case staging, publishing, phase(app.Starting):
		return true
	}
	return s.phase == settling && s.settleTime(c) < time.Second
}

// showStatus has status.json replaced when there is something new to say, or what was
// said last could not be written.
func (l *loop) showStatus() {
	s, last := l.state.seen, &l.status.last
	now := shown{s, cmp.Or(l.state.accepted().Keys, last.keys), l.status.volumes.Load()}
	isNews := now.keys != last.keys || now.volumes != last.volumes || !reflect.DeepEqual(s, last.Status)
	if !isNews && !l.status.unwritten.Load() || l.state.isFleeting(l.Config) && s.Stalled == "" {
		return
	}
	*last = now
	l.status.unwritten.Store(false)
	select {
	case <-l.status.newest: // it was not written yet
	default:
	}
	whole := *s
	whole.Confit, whole.Updated = l.Version, status.At(time.Now())
	now.Status = &whole
	l.status.newest <- now
}

// write writes each status that showStatus hands over, until there are no more.
func (l *loop) write() {
	defer close(l.status.written)
	said := ""
	for s := range l.status.newest {
		err := guard(func() error {
			data := l.status.coalesce(s).encode()
			if len(data) > largeStatus {
				defer debug.FreeOSMemory()
			}
			return signals.Undisturbed(func() error { return l.Linker.WriteStatus(data) })
		})
		l.status.unwritten.Store(err != nil)
		if err != nil && err.Error() != said {
			said = err.Error()
			l.Log.Warn("status not written", "error", said)
		}
	}
}

// largeStatus is the size in bytes from which on the memory that a status took
// goes back to the system at once: 10,000 keys take 7 MB.
const largeStatus = 256 << 10

// coalesceTime is how long a status waits for a newer one: many transactions are over
// by then, and nothing is written while the app is to be reloaded.
const coalesceTime = 20 * time.Millisecond

func (r *statusWriter) coalesce(s shown) shown {
	over := time.After(coalesceTime)
	for {
		select {
		case newer, more := <-r.newest:
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
		s.Keys = s.keys.Sums()
	}
	if s.volumes != nil {
		for _, v := range *s.volumes {
			s.Volumes = append(s.Volumes, status.Volume(v))
		}
	}
	return s.Encode()
}

// noteVolumes is called where the linker is. A look that finds the volumes as they
// were notes nothing: each note makes another status.
func (l *loop) noteVolumes() {
	volumes := l.Linker.Volumes()
	if noted := l.status.volumes.Load(); noted == nil || !slices.EqualFunc(*noted, volumes, linker.VolumeStatus.Equal) {
		l.status.volumes.Store(&volumes)
	}
}

// tell has a debug log say an event that changes what confit waits for.
func (l *loop) tell(now time.Time, e event, after *state) {
	if !l.Log.Enabled(context.Background(), slog.LevelDebug) {
		return
	}
	was, is, due := l.state.waitsFor(), after.waitsFor(), after.due()
	if was == is && due.Equal(l.state.due()) {
		return
	}
	if !due.IsZero() {
		is += " for " + (due.Sub(now) / time.Millisecond * time.Millisecond).String()
	}
	l.Log.Log(context.Background(), slog.LevelDebug, "event taken", "event", fmt.Sprintf("%T", e)[len("supervisor."):], "was", was, "now", is)
}

// waitsFor is the phase, and what it doesn't say of what confit waits for.
func (s *state) waitsFor() string {
	more := ""
	switch {
	case s.phase == running && s.pending:
		more = " (the app is about to end)"
	case s.phase == running && !s.readBy.IsZero():
		more = " (the app is to read)"
	case s.phase == running && s.rejection.stands:
		more = " (what is mounted was rejected)"
	case s.phase == gating && !s.gate.asked:
		more = " (not asked yet)"
	case s.phase == proving && s.proof.verifying():
		more = " (verify)"
	case s.phase == proving && s.deadline.After(s.proof.until):
		more = " (READY=1)"
	case s.pending:
		more = " (a look follows)"
	}
	return s.shown().String() + more
}

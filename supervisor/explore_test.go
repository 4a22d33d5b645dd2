package supervisor

import (
	"errors"

	"confit/config"
	"confit/linker"
	"confit/notify"
	"confit/signals"
)

// tryAll gives everything that could happen now to step, each to the state as
// it is: step is pure, so the world doesn't notice. Where the app has died and
// the transaction goes on, which the dice seldom bring about, it goes on from
// there, too.
func (w *world) tryAll(s state, depth int) {
	for _, e := range w.couldHappen(s) {
		now := w.now
		if _, ok := e.(elapsed); ok {
			now = s.deadline
		}
		s := s
		if x, ok := e.(exited); ok && x.status.Signal() == signals.HUP {
			s.hup = true // as it is after any reload by auto
		}
		next, _ := step(w.config, s, now, e)
		w.tried[arc{s.phase, eventName(e), next.phase}] = true
		bereft := next.app.pid == 0 && next.app.group != 0 && (next.phase < restarting || next.phase == proving)
		if bereft && depth > 0 {
			w.tryAll(next, depth-1)
		}
	}
}

// couldHappen lists the events that may come in such a state.
func (w *world) couldHappen(s state) []event {
	events := []event{heard{notify.Message{State: notify.Ready}}, hinted{}, elapsed{}, reaped{}, signalled{signals.TERM}, signalled{signals.HUP}}
	if s.app.pid != 0 {
		events = append(events, exited{}, exited{status: waitStatus(1)}, exited{status: waitStatus(1 << 8)})
		if w.config.Adopt {
			events = append(events, exited{heir: app{pid: 8, group: 8}})
		}
	}
	if s.hook != 0 {
		events = append(events, hookEnded{}, hookEnded{status: waitStatus(1 << 8)})
	}
	if s.busy {
		events = append(events, w.couldBeAnswered(s)...)
	}
	return append(events, couldBeFound(s)...)
}

// couldBeAnswered lists what the linker may say.
func (w *world) couldBeAnswered(s state) []event {
	trouble := errors.New("trouble")
	switch s.phase {
	case staging:
		events := []event{invalid{trouble}, failed{trouble}, crashed{trouble}}
		if w.looked {
			events = append(events, unchanged{})
		}
		for _, hash := range []linker.Hash{{99}, s.live.Hash, s.rejected} {
			events = append(events, staged{candidate: linker.Candidate{Generation: linker.Generation{Number: w.numbers + 1, Hash: hash}}})
		}
		return events
	case publishing:
		return []event{published{}, superseded{}, failed{trouble}, crashed{trouble}}
	case withdrawing:
		return []event{withdrawn{}, failed{trouble}, crashed{trouble}}
	}
	return nil
}

// couldBeFound lists what may come of looking for the app's handler, its
// leftovers, or of starting it.
func couldBeFound(s state) []event {
	switch {
	case s.phase == telling && s.ask.Kind == config.Signal:
		return []event{probed{signals.Caught}, probed{signals.Default}, probed{signals.Ignored}, probed{signals.Unknown}}
	case s.phase == draining:
		return []event{cleared{true}, cleared{false}}
	case s.phase == starting:
		return []event{started{7}, barred{errors.New("no"), 127}, barred{errors.New("no"), config.ExitSystem}}
	case s.phase == validating || s.phase == telling || s.phase == proving:
		return []event{hookBarred{errors.New("no")}}
	}
	return nil
}

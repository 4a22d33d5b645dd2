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
	seen := w.shapeOf(s, depth)
	if w.shapes[seen] {
		return
	}
	w.shapes[seen] = true
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

// shape is what of a state decides what an event leads to: another one of the
// same shape needn't be tried.
type shape struct {
	phase                                                      phase
	app, group, hook, visible, told, lost, busy, untidy        bool
	pending, single, refused, degraded, ending, expired, deaf  bool
	again, due, verifying, lives, leaving, known, same, queued bool
	ask                                                        config.Kind
	auto                                                       bool
	word                                                       word
	config                                                     string
	depth                                                      int
}

func (w *world) shapeOf(s state, depth int) shape {
	return shape{
		phase: s.phase, app: s.app.pid != 0, group: s.app.group != 0, hook: s.hook != 0, visible: s.visible, told: s.told,
		lost: s.lost != nil, busy: s.busy, untidy: s.untidy, pending: s.pending, single: s.single, refused: s.refused,
		degraded: s.degraded != "", ending: s.ending, expired: s.expired, deaf: s.deaf, again: s.retry.again,
		due: !s.retry.at.IsZero(), verifying: !s.trial.verifyBy.IsZero(), lives: w.now.Before(s.trial.until), leaving: s.leaving != 0,
		known: s.live.Number != 0, same: s.candidate.Hash == s.live.Hash, queued: len(s.queued) > 0,
		ask: s.ask.Kind, auto: s.ask.Auto, word: s.word, config: w.flavour, depth: depth,
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

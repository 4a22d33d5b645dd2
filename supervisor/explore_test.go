package supervisor

import (
	"errors"

	"confit/config"
	"confit/linker"
	"confit/notify"
	"confit/process"
	"confit/signals"
)

// tryAll gives step everything that could happen now, each time in the state as it
// is: step is pure, so the world doesn't notice. From what the dice seldom bring
// about tryAll goes on: from a transaction whose app has died, and from phases that
// few lives come to.
func (w *world) tryAll(s state, depth int) {
	seen := w.shapeOf(s, depth)
	if w.shapes[seen] {
		return
	}
	w.shapes[seen] = true
	for _, e := range w.couldHappen(s) {
		now := w.now
		if _, ok := e.(elapsed); ok {
			now = s.due()
		}
		if d, ok := e.(delivered); ok && !d.taken {
			now = s.app.renewed.Add(handlerWait) // as it is at the last look
		}
		s := s
		if x, ok := e.(exited); ok && x.status.Signal() == signals.HUP {
			s.app.autoHUP = true // as it is after any reload by auto
		}
		if p, ok := e.(probed); ok && p.disposition == signals.Waited {
			s.app.waitedFor = waitedLooks - 1 // as it is at the last look
		}
		next, _ := step(w.config, s, now, e)
		w.tried[arc{s.shown(), eventName(e), next.shown()}] = true
		without := next.app.pid == 0 && next.app.group != 0 && next.phase != serving
		seldom := next.shown() != s.shown() && (next.shown() == delivering || next.shown() == gating)
		if (without || seldom) && depth > 0 {
			w.tryAll(next, depth-1)
		}
	}
}

// shape is the part of a state that decides what an event leads to: another state
// of the same shape needn't be tried.
type shape struct {
	phase                                                  phase
	app, group, hook, started, left                        bool
	exposure                                               exposure
	failed, busy, untidy, unstored, further, marked, says  bool
	pending, refused, degraded, ending, expired, only      bool
	again, due, verifying, lives, waits, leaving, survived bool
	known, earlier, same, queued, watched, unread          bool
	falls, onFallback, stays, dropped                      bool
	seems                                                  int
	writing                                                linker.Writing
	kind                                                   config.Kind
	auto                                                   bool
	readiness                                              readiness
	gate                                                   gateShape
	config                                                 string
	depth                                                  int
}

func (w *world) shapeOf(s state, depth int) shape {
	return shape{
		phase: s.shown(), app: s.app.pid != 0, group: s.app.group != 0, hook: s.hook, exposure: s.exposure,
		started: s.started, left: s.leftAtHUP, failed: s.appFailure != nil, busy: s.busy, untidy: s.untidy,
		unstored: s.unstored != "", further: s.backToEarlier, marked: w.now.Before(s.app.stopBy), watched: s.watched, unread: !s.readBy.IsZero(), says: s.app.saysReady, pending: s.pending,
		writing: s.writing, refused: s.rejection.stands, degraded: s.degraded != "", ending: s.app.isEnding(), expired: s.expired, only: s.app.restartOnly,
		again: s.isRetry, due: !s.rejection.nextTry.IsZero(), verifying: s.trial.verifying(), lives: w.now.Before(s.trial.until),
		waits: s.trial.awaitsReady(), leaving: s.lastResort.code != 0, survived: s.accepted.Survived, known: s.accepted.Number != 0,
		earlier: s.accepted.Earlier.Number != 0, same: s.isAccepted(), queued: len(s.app.queued) > 0,
		falls: s.fallback, onFallback: s.onFallback(), stays: s.stays, dropped: s.app.then == stayDown,
		seems: s.app.waitedFor, kind: s.reloadAction.Kind, auto: s.reloadAction.Auto, readiness: s.app.readiness, gate: gateShapeOf(s), config: w.flavour, depth: depth,
	}
}

// couldHappen lists the events that may come in such a state.
func (w *world) couldHappen(s state) []event {
	events := []event{heard{notify.Message{State: notify.Ready}}, heard{notify.Message{State: notify.Reloading}}, hinted{}, elapsed{}, opened{}, reaped{}, signalled{signals.TERM}, signalled{signals.HUP}, signalled{signals.QUIT}}
	if s.app.pid != 0 {
		events = append(events, exited{}, exited{typed: true}, exited{forked: true}, exited{status: waitStatus(1)}, exited{status: waitStatus(1 << 8)})
		if w.config.Adopt {
			events = append(events, exited{successor: life{pid: 8, group: 8}})
		}
	}
	if s.hook {
		events = append(events, hookEnded{}, hookEnded{status: waitStatus(1 << 8)})
	}
	events = append(events, couldComeOfGate(s)...)
	if s.peeking {
		events = append(events, peeked{changed: true})
	}
	if s.busy {
		events = append(events, w.couldBeAnswered(s)...)
	}
	return append(events, couldBeFound(s)...)
}

// couldBeAnswered lists what the linker may say.
func (w *world) couldBeAnswered(s state) []event {
	trouble := errors.New("trouble")
	switch s.shown() {
	case staging:
		events := []event{invalid{reason: trouble}, failed{trouble}, crashed{trouble}}
		if w.looked {
			events = append(events, unchanged{})
		}
		for _, hash := range []linker.Hash{{99}, s.accepted.Hash, s.rejection.hash} {
			events = append(events, staged{candidate: linker.Candidate{Generation: linker.Generation{Number: w.numbers + 1, Hash: hash, Shared: hash}}})
		}
		if len(w.config.Render) > 0 {
			events = append(events, staged{candidate: linker.Candidate{Unrendered: true, Generation: linker.Generation{Number: w.numbers + 1, Hash: linker.Hash{98}, Shared: linker.Hash{98}}}})
		}
		return events
	case arming:
		return []event{armed{}, crashed{trouble}}
	case completing:
		events := []event{invalid{reason: trouble}, failed{trouble}, crashed{trouble}}
		for _, hash := range []linker.Hash{{99}, s.accepted.Hash, s.rejection.hash} {
			events = append(events, staged{candidate: linker.Candidate{Generation: linker.Generation{Number: w.numbers + 1, Hash: hash, Shared: hash}}})
		}
		return events
	case checking:
		return []event{checked{}, checked{true}, invalid{reason: trouble}, failed{trouble}, crashed{trouble}}
	case publishing:
		return []event{barred{trouble}, published{}, published{watched: true}, superseded{}, failed{trouble}, crashed{trouble}}
	case touching:
		return []event{touched{watched: true}, touched{}, touched{err: trouble}, crashed{trouble}}
	case withdrawing:
		return []event{withdrawn{}, withdrawn{undone: trouble}, failed{trouble}, crashed{trouble}}
	}
	return nil
}

// couldBeFound lists what a look at the app or its leftovers may find, and how a
// start may end.
func couldBeFound(s state) []event {
	switch s.shown() {
	case delivering:
		return []event{delivered{true}, delivered{false}}
	case restarting:
		return []event{denied{errBeyond}, unheard{}, unheard{true}}
	case probing:
		return []event{sent{}, denied{errBeyond}, probed{disposition: signals.Caught}, probed{disposition: signals.Waited}, probed{disposition: signals.Default},
			probed{disposition: signals.Ignored}, probed{}, probed{program: "rsyslogd"}}
	case draining:
		return []event{cleared{true}, cleared{false}}
	case starting:
		return []event{started{7}, startFailed{errors.New("no"), 127}, startFailed{errors.New("no"), process.ExitSystem}}
	case rendering, validating, gating, reloading, proving:
		return []event{hookStartFailed{errors.New("no")}}
	}
	return nil
}

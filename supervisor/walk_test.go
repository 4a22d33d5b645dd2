package supervisor

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"confit/config"
	"confit/linker"
	"confit/notify"
	"confit/process"
	"confit/signals"
	"confit/status"
	"confit/supervisor/app"
)

// act lets one thing happen in the world.
func (w *world) act() {
	switch w.rand.IntN(13) {
	case 0, 1, 2:
		w.answer()
	case 3, 4:
		w.now = w.now.Add(time.Duration(w.rand.Int64N(int64(15 * time.Second))))
		w.give(elapsed{})
	case 5:
		w.endOfHook()
	case 6:
		w.deaths()
	case 7:
		w.edit()
	case 8:
		w.give(hinted{})
		w.unread = false
		w.give(opened{})
	case 9:
		w.give(heard{notify.Message{State: notify.State(w.rand.IntN(4))}, true})
		w.give(signalled{[]signals.Signal{12, 28, 12, 28, 12, 28, 2, 3}[w.rand.IntN(8)]})
	case 10:
		w.handler = signals.Disposition(w.rand.IntN(5))
		w.beyond = w.rand.IntN(6) == 0
	case 11:
		w.seldom()
	case 12:
		w.endOfReport()
	}
}

func (w *world) answer() {
	if e := w.carryOut(); e != nil {
		w.give(e)
	}
}

func (w *world) edit() {
	former := w.mounted
	w.edits++
	mounted := content{number: 1000 + w.edits, bad: w.rand.IntN(3) == 0, invalid: w.rand.IntN(6) == 0,
		deadly: w.rand.IntN(6) == 0, unwell: w.rand.IntN(6) == 0, late: w.rand.IntN(6) == 0, killer: w.rand.IntN(20) == 0, shaky: w.rand.IntN(12) == 0,
		barred: w.rand.IntN(6) == 0, silent: w.rand.IntN(12) == 0, unrenderable: w.rand.IntN(6) == 0}
	if w.live != nil && w.rand.IntN(6) == 0 {
		mounted.twin = w.live.number // as with another mode
		if w.live.twin != 0 {
			mounted.twin = w.live.twin
		}
	}
	if w.live != nil && w.rand.IntN(3) == 0 {
		mounted = *w.live // reverted
	}
	w.mount(mounted)
	if w.fallback != nil && w.rand.IntN(4) == 0 {
		w.bake()
	}
	if w.mounted != former {
		delete(w.judged, w.mounted)
		w.rolledBack = nil
	}
}

// mount has the volume hold a content.
func (w *world) mount(c content) {
	c.fallback = false
	w.mounted, w.contents[letter(c.number)], w.disk.mounted = c, c, letter(c.number)
}

// seldom is what ends an episode, so it is rare.
func (w *world) seldom() {
	switch w.rand.IntN(8) {
	case 0:
		w.stop = true
		w.give(signalled{signals.TERM})
	case 1:
		w.die()
	case 2:
		if w.disk.pending() != nil && w.rand.IntN(4) == 0 {
			w.breaksDown = true
			w.answer()
		}
	}
}

// settleDown lets everything that is due happen and changes nothing any more.
func (w *world) settleDown() {
	w.frail, w.beyond, w.calm = false, false, true
	w.handler = signals.Caught
	for i := range 600 {
		if w.state.shown() == done || (i > 400 && w.state.shown() == running) { // not in the middle of a retry
			return
		}
		if i <= 400 {
			w.give(hinted{})
		}
		w.answer()
		w.endOfHook()
		w.endOfReport()
		if w.zombie != 0 || w.leftover || w.doomed {
			w.deaths()
		}
		if w.stop {
			w.die()
		}
		w.now = w.now.Add(5 * time.Second)
		w.give(elapsed{})
	}
}

// quiet holds what must be true once everything has come to rest.
func (w *world) quiet() {
	s := w.state
	shown := observe(w.config, &s)
	switch {
	case s.shown() == done:
		if w.hook != 0 && !w.hookKilled {
			w.fatalf("hook %d outlives confit", w.hook)
		}
		w.outcomeOutlives()
		if s.exit.Code == process.ExitRejected && w.fallback != nil && !w.fellBack && !w.frail {
			w.fatalf("ends without having tried the fallback")
		}
	case w.stop:
		w.fatalf("a stop did not end: phase %v", s.shown())
	case s.degraded != "":
	case s.shown() == gating:
		w.mayWaitForGate()
	case (s.rejected != nil || !s.isWell() || s.ladder.IsDown()) != (shown.Verdict() == status.Rejected):
		w.fatalf("refused is %+v, and the status says %s", s.rejected, shown.Encode())
	case s.complaints[applying] != "" || shown.PendingSince != "" || shown.Candidate != nil:
		w.fatalf("nothing is under way, and the status says %s", shown.Encode())
	case w.visible != nil:
		w.fatalf("a candidate is visible and neither accepted nor taken back")
	case w.live == nil:
		w.fatalf("an app runs on no generation")
	case w.live.number != w.mounted.number && s.rejected == nil:
		w.fatalf("live is %+v, mounted is %+v, and that was not said", *w.live, w.mounted)
	case w.live.number == w.mounted.number && w.live.fallback:
		w.fatalf("what is live is mounted, and still counts as the fallback")
	case w.live.number == w.mounted.number && (s.rejected != nil) != s.isUnproved():
		w.fatalf("what is mounted is live, and still counts as refused")
	case s.accepted().Durable && s.ladder.Len() > 1:
		w.fatalf("keeps an older generation for nothing")
	case w.live.number != w.mounted.number && w.acceptable(w.mounted) && (w.rolledBack == nil || *w.rolledBack != w.mounted):
		w.fatalf("live is %+v, though %+v is acceptable", *w.live, w.mounted)
	}
}

// episode is one life of confit.
func episode(t testing.TB, seed uint64, length int) *world {
	w := newWorld(t, seed)
	for range length {
		if w.state.shown() == done {
			return w
		}
		w.act()
	}
	w.settleDown()
	w.quiet()
	return w
}

// TestStepRandomWalks lives many lives; each invariant is in world. make check has
// those of TestStepRandomWalks_all, too, and FuzzStep lives more of them.
func TestStepRandomWalks(t *testing.T) { liveAll(t, 0, 1000) }

func liveAll(t *testing.T, from, to uint64) {
	for seed := from; seed < to; seed++ {
		episode(t, seed, 120)
	}
}

// FuzzStep looks for a life that the fixed seeds didn't have.
func FuzzStep(f *testing.F) {
	f.Add(uint64(1), uint8(50))
	f.Fuzz(func(t *testing.T, seed uint64, length uint8) { episode(t, seed, int(length)) })
}

// TestStepIsTotal gives every event to a state in every phase, sensible or not.
func TestStepIsTotal(t *testing.T) {
	events := []event{hinted{}, elapsed{}, opened{}, unchanged{}, staged{}, invalid{reason: errors.New("x")}, failed{errors.New("x")},
		crashed{errors.New("x")}, published{}, superseded{}, withdrawn{}, touched{}, touched{watched: true}, hookStartFailed{err: errors.New("x")},
		barred{errors.New("x")}, sent{}, denied{errors.New("x")}, denied{}, hookEnded{}, compared{}, compared{0, linker.ErrSuperseded}, compared{0, errors.New("x")}, glanced{}, glanced{err: errors.New("x")}, glanced{candidate: linker.Candidate{Generation: linker.Generation{Inputs: linker.Hash{7}}}}, reportEnded{}, reportEnded{err: errors.New("x")}, noted{note: &linker.Note{}}, noted{note: &linker.Note{}, err: errors.New("x")}, staged{candidate: linker.Candidate{Generation: linker.Generation{Fallback: true}}}, probed{}, inside{}, repaired{}, repaired{err: errors.New("x")}, repaired{anew: true}, repaired{anew: true, awaited: true}, emptied{}, linksRead{}, linksRead{config.LinksSum{1}}, exited{app.Exit{Typed: true}}, signalled{signals.QUIT}, started{7}, startFailed{errors.New("x"), 127}, exited{}, exited{app.Exit{Successor: app.Successor{PID: 8, Group: 8}}}, reaped{1}, cleared{}, signalled{signals.TERM}, signalled{1},
		heard{notify.Message{State: notify.Ready}, true}, heard{notify.Message{State: notify.Reloading}, true},
		recorded{}}
	c, note := newWorld(t, 1).config, &linker.Note{}
	for p := phase(app.Down); p <= done; p++ {
		for _, half := range []app.Phase{app.Down, app.Up, app.Starting, app.Probing, app.Restarting, app.Draining, app.Stopping} {
			for _, e := range events {
				for _, pid := range []int{0, 9} {
					s := state{phase: p, deadline: time.Unix(1, 0), note: notes{held: note, given: note}}
					s.app.Phase, s.app.PID, s.app.Group = half, pid, 9
					before := s
					next, actions := step(c, &s, time.Unix(2, 0), e)
					if next.shown() < 0 || next.shown() > done {
						t.Errorf("%v, %v, %T: phase %d", p, half, e, next.shown())
					}
					if is := observe(c, next).Phase; is != next.shown().String() {
						t.Errorf("%v, %v, %T: the status says %s", p, half, e, is)
					}
					if p == done && len(actions) > 0 {
						t.Errorf("%T after the end: %v", e, actions)
					}
					again, _ := step(c, &s, time.Unix(2, 0), e)
					if !reflect.DeepEqual(again, next) || !reflect.DeepEqual(s, before) {
						t.Errorf("%v, %v, %T: not pure", p, half, e)
					}
				}
			}
		}
	}
}

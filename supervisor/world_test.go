package supervisor

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/signals"
	"confit/supervisor/app"
)

// content is what a volume holds in the world: a number for the hash, and what
// is wrong with it.
type content struct {
	number  int
	invalid bool // it can't be staged
	bad     bool // the validator refuses it

	unrenderable bool // the renderer fails on it, or makes what can't be

	deadly bool // the app dies of it, sooner or later
	unwell bool // the app lives on it, but the verify hook fails
	late   bool // the app lives on after a reload, but can't live when it is started on it
	killer bool // confits were killed while they tried it
	shaky  bool // one was
	barred bool // the gate refuses it
	silent bool // the gate never answers
	twin   int  // what all replicas share is that of this number; 0: of its own

	fallback bool // it comes from there
}

func (c content) hash() linker.Hash { return letter(c.number).hash() }

// world is a fake kernel, kubelet, app and platform around step; the model is its linker. It
// answers actions when the dice say so, and checks each against the invariants.
type world struct {
	t      testing.TB
	rand   *rand.Rand
	config *config.Config
	state  state
	now    time.Time
	log    []string // transcript, printed when an invariant breaks

	mounted, seen content
	fallback      *content // nil: there is none
	fellBack      bool     // it was tried
	disk          model
	given         []job              // for the linker, of the event that is given
	late          bool               // it leaves what nobody waits for as long as it may
	contents      map[letter]content // what the letters stand for
	staged        *content
	visible       *content // published, not accepted
	live          *content // the accepted generation
	liveNumber    int
	liveAt        int64
	held          map[int]*content // what was accepted, by number
	unproved      bool             // live is kept though it is not well, as there was nothing else
	rolledBack    *content         // the last that was rolled back, until an edit
	edits         int              // of what is mounted
	published     int              // the last number that was published
	judged        map[content]bool // validated since it was mounted
	baked         int              // how many fallbacks there were
	breaksDown    bool             // the linker does, at its next job

	pids       int
	app, hook  int  // alive
	succeeding int  // the app's successor, while the app's exit is handled
	zombie     int  // the app's pid, dead but not reaped
	doomed     bool // the app read something deadly
	beyond     bool // no signal reaches the app
	unread     bool // the app was shown something, and nobody has opened it
	handler    signals.Disposition
	cause      process.Status // how the app died
	leftover   bool           // the last app's group has members
	hookKilled bool
	stop       bool // TERM was sent
	frail      bool // the system refuses things now and then
	calm       bool // nothing fails without a reason any more

	gatekeeper
	trial string // the step that the linker's record names; "": there is none
}

func newWorld(t testing.TB, seed uint64) *world {
	r := rand.New(rand.NewPCG(seed, 1))
	w := &world{t: t, rand: r, now: time.Unix(1e9, 0), pids: 10, judged: map[content]bool{}, held: map[int]*content{}, contents: map[letter]content{}}
	w.config = &config.Config{
		Settle: []time.Duration{config.SettleAuto, 0, time.Second}[r.IntN(3)],
		Rescan: 10 * time.Second, HookTimeout: 30 * time.Second, DrainTimeout: 5 * time.Second, StopTimeout: 20 * time.Second,
		StopSignal: signals.TERM,
		Adopt:      r.IntN(4) == 0,
		Render:     [][]string{nil, {"render"}}[r.IntN(2)],
		Validate:   [][]string{nil, {"check", config.Placeholder}, {"check"}}[r.IntN(3)],
		Gate:       [][]string{nil, {"may-i"}}[r.IntN(2)],
		Report:     [][]string{nil, {"tell"}}[r.IntN(2)],
		Verify:     [][]string{nil, {"verify"}}[r.IntN(2)],
		Probation:  []time.Duration{0, 5 * time.Second}[r.IntN(2)],
		Splay:      []time.Duration{0, time.Minute}[r.IntN(2)],
		Retry:      10 * time.Second, VerifyTimeout: 10 * time.Second,
	}
	w.mounted = content{number: 1, late: r.IntN(10) == 0, shaky: r.IntN(10) == 0, bad: r.IntN(10) == 0, invalid: r.IntN(10) == 0, deadly: r.IntN(10) == 0, unwell: r.IntN(10) == 0}
	w.frail, w.late = r.IntN(3) == 0, r.IntN(3) == 0
	accepted := w.inherit()
	w.inheritOutcome()
	if r.IntN(2) == 0 {
		w.bake()
	}
	w.mount(w.mounted)
	w.inheritDisk(&linker.Note{Ladder: accepted, Outcomes: w.file})
	s, actions := begin(w.config, &linker.Former{Note: linker.Note{Ladder: accepted, Outcomes: w.file}}, w.fallback != nil, w.now)
	w.become(*s, actions)
	return w
}

// inherit is what a former confit accepted, now and then what is mounted still.
func (w *world) inherit() linker.Ladder {
	if w.rand.IntN(2) == 0 {
		return linker.Ladder{}
	}
	w.live, w.liveNumber = &content{number: 1}, 1
	if w.rand.IntN(2) == 0 {
		w.live, w.liveNumber = &content{number: 999}, 5
	}
	has := byBoth
	var rungs []linker.Rung
	if w.rand.IntN(2) == 0 {
		has, w.live.late = 0, w.rand.IntN(2) == 0
		earlier := &content{number: 998}
		w.held[w.liveNumber] = earlier
		rungs = append(rungs, rungOf(w.liveNumber, letter(earlier.number), byStart))
		w.liveNumber++
	}
	if w.live.number == 1 {
		w.mounted = *w.live
	}
	w.live.fallback = w.rand.IntN(4) == 0
	w.published = w.liveNumber
	w.held[w.liveNumber] = w.live
	top := rungOf(w.liveNumber, letter(w.live.number), has)
	top.Generation = w.live.generation(w.liveNumber)
	return ladderOf(append([]linker.Rung{top}, rungs...)...)
}

// inheritDisk is what a former confit left on the disk.
func (w *world) inheritDisk(n *linker.Note) {
	w.disk.note = asMemory(n)
	for number, c := range w.held {
		w.contents[letter(c.number)] = *c
		w.disk.keep(asMade(c.generation(number)))
	}
	w.disk.numbers, w.disk.live = w.liveNumber, w.disk.note.inForce()
	w.disk.former = w.disk.live
}

// oneIn lets something fail for no reason once in n times.
func (w *world) oneIn(n int) bool { return w.rand.IntN(n) == 0 && !w.calm }

func (w *world) fatalf(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(w.log, "\n"))
}

// give hands an event to step and performs the actions.
func (w *world) give(e event) {
	before := w.state
	w.log = append(w.log, fmt.Sprintf("%v: %T%+v", before.shown(), e, e))
	s, actions := step(w.config, &w.state, w.now, e)
	if _, ok := e.(elapsed); ok {
		w.mustAct(before, *s, actions)
	}
	w.become(*s, actions)
}

func (w *world) become(s state, actions []action) {
	before := w.state
	w.state = s
	w.noteAccepted(before)
	var answers []event
	for _, a := range actions {
		w.log = append(w.log, fmt.Sprintf("    %T%+v", unwrapped(a), unwrapped(a)))
		if answer := w.perform(a); answer != nil {
			answers = append(answers, answer)
		}
	}
	w.disk.order(w, w.given...)
	w.given = nil
	w.check()
	for _, e := range answers {
		w.give(e)
	}
}

// perform is what the real loop does, on the world.
func (w *world) perform(a action) event {
	switch a := unwrapped(a).(type) {
	case stage:
		if w.order(a); a.fallback {
			return nil
		}
		return w.reach(&w.state)
	case publish:
		if a.app != 0 && w.beyond {
			return barred{errBeyond}
		}
		w.order(a)
	case record:
		w.noteTrial(a)
		w.order(a)
	case touch:
		w.unread = true // what is opened counts from now on
		w.order(a)
	case collect:
		if w.visible == nil {
			w.staged = nil
		}
		w.order(a)
	case complete, goBack, compare, glance, writeNote:
		w.order(a.(job))
	case runHook:
		return w.runHook()
	case killHook:
		w.hookKilled = w.hook != 0 // its end is an event like any other
	case terminateHook, runReport, killReport:
		return w.performGate(a)
	case app.Spawn:
		return w.spawn()
	case app.Probe:
		w.mayBeSignalled(a.PID)
		return probed{app.Finding{Disposition: w.handler, Runs: []string{"app", "daemon"}[w.rand.IntN(2)]}}
	case inspect:
		w.mayBeSignalled(a.pid)
		if w.rand.IntN(10) == 0 {
			return inside{}
		}
	case app.Signal:
		w.mayBeSignalled(a.PID)
		return w.signal(a.Signal)
	case app.Deliver:
		w.mayBeSignalled(a.PID)
		return w.signal(a.Signal)
	case app.Reload:
		w.mayBeSignalled(a.PID)
		return cmp.Or[event](w.signal(a.Signal), sent{})
	case app.Wake:
		w.mayBeSignalled(a.PID)
	case app.EndLeftovers:
		return w.endLeftovers(a)
	}
	return nil
}

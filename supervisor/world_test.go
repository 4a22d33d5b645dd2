package supervisor

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/signals"
)

// content is what a volume holds in the world: a number for the hash, and what
// is wrong with it.
type content struct {
	number  int
	invalid bool // it can't be staged
	bad     bool // the validator refuses it
	deadly  bool // the app dies of it, sooner or later
	unwell  bool // the app lives on it, but the verify hook fails
	late    bool // the app lives on after a reload, but can't live when it is started on it
	killer  bool // confits were killed while they proved it
}

func (c content) hash() (h linker.Hash) {
	h[0], h[1] = byte(c.number), byte(c.number>>8)
	return h
}

// world is a fake kernel, kubelet, linker, app and platform around step. It
// answers actions when the dice say so, and checks each against the invariants.
type world struct {
	t       testing.TB
	rand    *rand.Rand
	config  *config.Config
	state   state
	now     time.Time
	log     []string       // transcript, printed when an invariant breaks
	tried   map[arc]bool   // when not nil: all that could happen, wherever this life leads
	shapes  map[shape]bool // of the states in which that was tried
	flavour string         // of the configuration

	mounted, seen content
	looked        bool // seen counts
	staged        *content
	stagedNumber  int
	visible       *content // published, not accepted
	live          *content // what is gone back to
	liveNumber    int
	survived      bool     // a start on it
	earlier       *content // what is gone back to from live
	earlierNumber int
	action        config.Kind // what the candidate asks for
	unproved      bool        // live is kept though it is not well, as there was nothing else
	rolledBack    *content    // the last that was rolled back, until an edit
	numbers       int
	published     int              // the last number that was published
	judged        map[content]bool // validated since it was mounted
	job           func() event     // the linker's, not answered yet

	pids       int
	app, hook  int  // alive
	inherits   int  // an successor of the app, while that is being told
	zombie     int  // the app's pid, dead but not reaped
	doomed     bool // the app read something deadly
	handler    signals.Disposition
	cause      process.Status // how the app died
	leftover   bool           // the last app's group has members
	hookKilled bool
	stop       bool // TERM was sent
	frail      bool // the system refuses things now and then
}

// arc is one transition that was seen.
type arc struct {
	from  phase
	event string
	to    phase
}

func newWorld(t testing.TB, seed uint64) *world {
	r := rand.New(rand.NewPCG(seed, 1))
	w := &world{t: t, rand: r, now: time.Unix(1e9, 0), pids: 10, judged: map[content]bool{}}
	w.config = &config.Config{
		Settle: []time.Duration{config.SettleAuto, 0, time.Second}[r.IntN(3)],
		Rescan: 10 * time.Second, ValidateTimeout: 30 * time.Second, DrainTimeout: 5 * time.Second, StopTimeout: 20 * time.Second,
		StopSignal: signals.TERM,
		Adopt:      r.IntN(4) == 0,
		Validate:   [][]string{nil, {"check", placeholder}, {"check"}}[r.IntN(3)],
		Verify:     [][]string{nil, {"ask"}}[r.IntN(2)],
		Probation:  []time.Duration{0, 5 * time.Second}[r.IntN(2)],
		Splay:      []time.Duration{0, time.Minute}[r.IntN(2)],
		Retry:      10 * time.Second, VerifyTimeout: 10 * time.Second,
	}
	w.mounted = content{number: 1, late: r.IntN(10) == 0, bad: r.IntN(10) == 0, invalid: r.IntN(10) == 0, deadly: r.IntN(10) == 0, unwell: r.IntN(10) == 0}
	w.frail = r.IntN(3) == 0
	c := w.config
	w.flavour = fmt.Sprint(c.Settle, c.Adopt, c.Validate, c.Verify, c.Probation, c.Splay, w.looked)
	s, actions := begin(w.config, w.inherit(), w.now)
	w.become(s, actions)
	return w
}

// inherit is what a former confit accepted, now and then what is mounted still.
func (w *world) inherit() linker.Accepted {
	if w.rand.IntN(2) == 0 {
		return linker.Accepted{}
	}
	w.live, w.liveNumber, w.survived = &content{number: 1}, 1, true
	if w.rand.IntN(2) == 0 {
		w.live, w.liveNumber = &content{number: 999}, 5
	}
	if w.rand.IntN(2) == 0 {
		w.survived, w.live.late = false, w.rand.IntN(2) == 0
		w.earlier, w.earlierNumber = &content{number: 998}, w.liveNumber
		w.liveNumber++
	}
	if w.live.number == 1 {
		w.mounted = *w.live
	}
	w.numbers, w.published = w.liveNumber, w.liveNumber
	return w.accepted()
}

// accepted is what the linker would say of it.
func (w *world) accepted() linker.Accepted {
	a := linker.Accepted{Survived: w.survived}
	if w.live != nil {
		a.Generation = linker.Generation{Number: w.liveNumber, Hash: w.live.hash()}
	}
	if w.earlier != nil {
		a.Earlier = linker.Generation{Number: w.earlierNumber, Hash: w.earlier.hash()}
	}
	return a
}

func (w *world) fatalf(format string, args ...any) {
	w.t.Helper()
	w.t.Fatalf("%s\n%s", fmt.Sprintf(format, args...), strings.Join(w.log, "\n"))
}

// give hands an event to step and carries out what it asks for.
func (w *world) give(e event) {
	before := w.state.phase
	w.log = append(w.log, fmt.Sprintf("%v: %T%+v", before, e, e))
	s, actions := step(w.config, w.state, w.now, e)
	w.become(s, actions)
}

func eventName(e event) string {
	name := strings.TrimPrefix(fmt.Sprintf("%T", e), "supervisor.")
	if s, ok := e.(signalled); ok && s.signal == signals.TERM {
		return "signalled TERM"
	}
	return name
}

func (w *world) become(s state, actions []action) {
	w.state = s
	var answers []event
	for _, a := range actions {
		w.log = append(w.log, fmt.Sprintf("    %T%+v", a, a))
		if answer := w.perform(a); answer != nil {
			answers = append(answers, answer)
		}
	}
	w.check()
	if w.tried != nil && s.phase != done {
		w.tryAll(s, 3)
	}
	for _, e := range answers {
		w.give(e)
	}
}

// check holds what must be true after every step.
func (w *world) check() {
	s := w.state
	waits := s.phase != stopping && s.phase != done && (s.phase != running || s.degraded == "")
	if waits && s.deadline.IsZero() {
		w.fatalf("phase %v has no deadline", s.phase)
	}
	if leaving := s.phase == stopping || s.phase == done || s.ending; !leaving && s.accepted != w.accepted() {
		w.fatalf("takes %v for what is accepted, which is %v", s.accepted, w.accepted())
	}
	if s.phase == stopping && !s.deadline.IsZero() {
		w.fatalf("stopping has a deadline: the platform owns it")
	}
	if s.phase == running && s.app.pid == 0 {
		w.fatalf("running without an app")
	}
	if s.phase == running && w.app == 0 && w.zombie == 0 && w.inherits == 0 {
		w.fatalf("running without an app")
	}
}

// perform is what the real loop does, on the world.
func (w *world) perform(a action) event {
	switch a := a.(type) {
	case stage:
		if a.again {
			w.looked = false
			delete(w.judged, w.mounted)
		}
		w.begin(w.stage)
	case publish:
		w.begin(w.publish)
	case withdraw:
		w.begin(w.withdraw)
	case check:
		w.begin(w.checkHook)
	case goBack:
		w.begin(w.goBack)
	case accept:
		w.accept(a.survived)
	case store:
		return w.store(a)
	case discard:
		w.staged = nil
	case runHook:
		return w.runHook()
	case killHook:
		w.hookKilled = w.hook != 0 // its end is an event like any other
	case spawn:
		return w.spawn()
	case probe:
		w.mayBeSignalled(a.pid)
		return probed{disposition: w.handler}
	case track:
		w.mayBeSignalled(a.pid)
		return delivered{w.rand.IntN(2) == 0}
	case inspect:
		w.mayBeSignalled(a.pid)
		return inspected{w.rand.IntN(10) == 0}
	case signal:
		w.mayBeSignalled(a.pid)
		w.signal(a.signal)
	case wake:
		w.mayBeSignalled(a.pid)
	case endLeftovers:
		if a.group <= 1 {
			w.fatalf("ends group %d", a.group)
		}
		if a.signal != 0 && w.rand.IntN(2) == 0 {
			w.leftover = false
		}
		return cleared{w.leftover}
	}
	return nil
}

// waitStatus is a wait status: n is a signal below 128, else an exit code above.
func waitStatus(n int) process.Status { return process.Status(n) }

func (w *world) mayBeSignalled(pid int) {
	if pid <= 1 || (pid != w.app && pid != w.zombie && pid != w.inherits) {
		w.fatalf("signals pid %d, which is not alive (app %d)", pid, w.app)
	}
}

func (w *world) begin(job func() event) {
	if w.job != nil {
		w.fatalf("two jobs for the linker at once")
	}
	w.job = job
}

func (w *world) stage() event {
	w.staged = nil
	switch {
	case w.frail && w.rand.IntN(4) == 0:
		return failed{errors.New("disk full")}
	case w.looked && w.seen == w.mounted:
		return unchanged{}
	}
	w.looked, w.seen = true, w.mounted
	if w.mounted.invalid {
		return invalid{errors.New("key missing")}
	}
	c := w.mounted
	w.staged = &c
	w.stagedNumber = w.numbers + 1
	if w.live != nil && w.live.number == c.number {
		w.stagedNumber = w.liveNumber
	} else {
		w.numbers++
	}
	action := []config.Action{{Kind: config.None}, {Kind: config.Signal, Auto: true, Signal: 1},
		{Kind: config.Signal, Signal: 10}, {Kind: config.Exec, Command: []string{"reload"}}, {Kind: config.Restart}}[w.rand.IntN(5)]
	w.action = action.Kind
	candidate := linker.Candidate{Generation: linker.Generation{Number: w.stagedNumber, Hash: c.hash()}, Single: w.rand.IntN(2) == 0}
	if c.killer {
		candidate.Kills = maxKills
	}
	return staged{candidate, action, time.Duration(w.rand.Int64N(int64(w.config.Splay) + 1))}
}

func (w *world) publish() event {
	switch {
	case w.staged == nil:
		w.fatalf("publishes without a candidate")
	case *w.staged != w.mounted:
		w.looked = false
		return superseded{}
	case w.frail && w.rand.IntN(4) == 0:
		w.looked, w.visible = false, w.staged
		delete(w.judged, *w.staged) // to be tried again
		return failed{errors.New("disk full")}
	case w.stagedNumber < w.published:
		w.fatalf("publishes generation %d after %d", w.stagedNumber, w.published)
	case w.state.validatesBeforeIn(w.config) && !w.judged[*w.staged] && (w.live == nil || w.live.number != w.staged.number):
		w.fatalf("publishes %+v, which was not validated", *w.staged)
	}
	w.visible, w.published = w.staged, w.stagedNumber
	return published{watched: w.rand.IntN(2) == 0}
}

func (s state) validatesBeforeIn(c *config.Config) bool {
	t := transition{state: s, config: c}
	return t.validatesBefore()
}

func (w *world) withdraw() event {
	if w.frail && w.rand.IntN(3) == 0 {
		return failed{errors.New("disk full")}
	}
	if w.state.reloaded {
		w.rollBack()
	}
	w.visible, w.staged = nil, nil
	if w.liveNumber > 0 {
		w.published = w.liveNumber
	}
	return withdrawn{}
}

func (w *world) rollBack() {
	switch {
	case w.live == nil:
		w.fatalf("rolls back to nothing")
	case w.rolledBack != nil && *w.rolledBack == *w.visible:
		w.fatalf("rolls %+v back twice in a row", *w.visible)
	}
	w.rolledBack = w.visible
}

func (w *world) checkHook() event {
	if w.frail && w.rand.IntN(10) == 0 {
		return []event{invalid{errors.New("the hook changed key a")}, failed{errors.New("no memory")}}[w.rand.IntN(2)]
	}
	return checked{}
}

// goBack drops what was accepted, as no app can be started on it.
func (w *world) goBack() event {
	if w.frail && w.rand.IntN(3) == 0 {
		return failed{errors.New("disk full")}
	}
	if w.earlier == nil || w.survived {
		w.fatalf("goes back from what is accepted")
	}
	if w.state.rejected == w.live.hash() { // else it was mounted again meanwhile, and is tried once more
		w.rolledBack = w.live
	}
	w.live, w.liveNumber, w.survived, w.earlier = w.earlier, w.earlierNumber, true, nil
	w.visible, w.staged, w.published = nil, nil, w.liveNumber
	return withdrawn{}
}

func (w *world) accept(survived bool) {
	g, number := w.visible, w.published
	if g == nil {
		g, number = w.live, w.liveNumber
	}
	switch {
	case g == nil:
		w.fatalf("accepts what is not published")
	case len(w.config.Validate) > 0 && g.bad:
		w.fatalf("accepts a bad configuration")
	case w.visible == nil && !survived:
		w.fatalf("accepts the accepted generation once more")
	}
	if w.live == nil || g.number != w.live.number {
		w.unproved = len(w.config.Verify) > 0 && g.unwell && w.action != config.None
		if w.unproved && w.live != nil {
			w.fatalf("accepts %+v, on which the app is not well", *g)
		}
	}
	next := w.accepted().Next(linker.Generation{Number: number, Hash: g.hash()}, survived)
	switch next.Earlier.Number {
	case 0:
		w.earlier = nil
	case w.liveNumber:
		w.earlier, w.earlierNumber = w.live, w.liveNumber
	}
	w.live, w.liveNumber, w.survived = g, number, next.Survived
	w.visible, w.staged = nil, nil
}

func (w *world) store(a store) event {
	switch {
	case w.unproved:
		w.fatalf("stores %+v, on which the app is not well", *w.live)
	case w.frail && w.rand.IntN(3) == 0:
		return stored{a, errors.New("disk full")}
	}
	return stored{store: a}
}

// acceptable reports whether nothing speaks against a configuration.
func (w *world) acceptable(c content) bool {
	return !c.invalid && !c.deadly && !c.killer && (!c.bad || len(w.config.Validate) == 0) && (!c.unwell || len(w.config.Verify) == 0)
}

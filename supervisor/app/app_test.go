package app

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"confit/notify"
	"confit/process"
	"confit/signals"
)

// walk is an app at random, what it leaves behind, and a confit that has no other half.
type walk struct {
	t     *testing.T
	dice  *rand.Rand
	app   App
	rules Rules
	now   time.Time

	pids    int
	alive   int // the app's pid; 0: it is gone
	handler signals.Disposition
	left    bool // something of it is left
	stuck   bool // which even KILL doesn't end
	killed  bool // what is left got KILL
	asked   time.Time
	stops   bool // the platform has asked for a stop
	over    bool
	works   bool                   // a script does, before the app
	traps   bool                   // TERM
	second  bool                   // a stop has come twice
	spoke   bool                   // something has said READY=1 before the app has begun
	owed    map[signals.Signal]int // that were asked for, and not sent
	todo    []Action
	log     []string
}

// Do queues an action: nothing is done while a move goes on.
func (w *walk) Do(a Action) { w.todo = append(w.todo, a) }

// perform is what the kernel makes of an action.
func (w *walk) perform(a Action) {
	switch a := a.(type) {
	case Spawn:
		w.spawn()
	case Probe:
		w.isApp(a.PID)
		w.move().Probed(Finding{Disposition: w.handler, Runs: "app", Program: "app", Alone: true})
	case Reload:
		w.isApp(a.PID)
		if w.handler != signals.Caught && (w.app.auto || w.handler == signals.Default && signals.EndsByDefault(a.Signal)) {
			w.t.Fatalf("sends %v to an app that doesn't survive it (%v)", a.Signal, w.handler)
		}
		w.move().Sent()
	case Signal:
		w.isApp(a.PID)
		w.signalled(a.Signal)
	case Deliver:
		w.isApp(a.PID)
		w.signalled(a.Signal)
	case Look:
		w.isApp(a.PID)
		w.looked()
	case EndLeftovers:
		w.killed = w.killed || a.Signal == signals.KILL
		w.left = w.left && (a.Signal == 0 || a.Signal != signals.KILL && w.dice.IntN(2) == 0 || w.stuck)
		if !w.left {
			w.gone()
		}
	}
}

// Info keeps the lines for a failure. A restart asks for a stop.
func (w *walk) Info(message string, _ ...any) {
	if w.log = append(w.log, message); message == "app restarting" {
		w.owed[w.rules.StopSignal]++
	}
}

func (w *walk) Warn(message string, keys ...any)  { w.Info(message, keys...) }
func (w *walk) Error(message string, keys ...any) { w.Info(message, keys...) }

func (w *walk) move() *Move { return &Move{App: &w.app, Out: w, Rules: w.rules, Now: w.now} }

func (w *walk) isApp(pid int) {
	if pid == 0 || pid != w.app.PID {
		w.t.Fatalf("acts on %d, and the app is %d", pid, w.app.PID)
	}
}

func (w *walk) spawn() {
	switch {
	case w.alive != 0:
		w.t.Fatalf("starts a second app beside %d", w.alive)
	case w.left && !w.killed:
		w.t.Fatal("starts an app beside what the one before has left, which nobody has killed")
	case w.stops:
		w.t.Fatal("starts an app after a stop was asked for")
	case w.dice.IntN(8) == 0:
		return // the system refuses: it is tried again
	}
	w.pids++
	w.alive, w.left, w.stuck, w.killed = w.pids, false, false, false
	w.handler = []signals.Disposition{signals.Caught, signals.Default, signals.Ignored, signals.Blocked}[w.dice.IntN(4)]
	w.works, w.traps, w.second = w.rules.EntryTime > 0 && w.dice.IntN(2) == 0, w.dice.IntN(4) == 0, false
	w.move().Started(w.pids)
}

// looked is what a look finds.
func (w *walk) looked() {
	if w.works {
		w.move().Saw(Sight{Program: "bash", Script: Script{1}, Works: true, Traps: w.traps})
	} else {
		w.move().Saw(Sight{Program: "app"})
	}
}

// begins is seen of an app that is no script, or no longer one.
func (w *walk) begins() {
	if m := w.move(); m.IsAtEntrypoint() && m.Runs() && w.alive != 0 {
		w.works = false
		w.looked()
		m.Begin(w.now)
		if awaits := w.spoke && m.waits() && !m.over(m.Deadline); !awaits && (len(m.Queued) > 0 || m.waits()) {
			w.t.Fatalf("%v wait for an app that has begun", m.Queued)
		}
	}
}

// endsWork checks that a signal may come while a script works: a second one, or TERM if it is trapped or nobody may wait longer.
func (w *walk) endsWork(s signals.Signal) {
	late := w.stops && !w.now.Before(w.asked.Add(w.rules.StopTimeout/2))
	if w.works && !w.second && (s != signals.TERM || !w.traps && !late) {
		w.t.Fatalf("%v ends a script's work", signals.Name(s))
	}
}

func (w *walk) signalled(s signals.Signal) {
	w.endsWork(s)
	if w.owed[s]--; w.owed[s] < 0 && s != signals.KILL {
		w.t.Fatalf("%v is sent once more than it was asked for", signals.Name(s))
	}
	switch {
	case s == signals.KILL && w.now.Before(w.asked.Add(w.rules.StopTimeout)):
		w.t.Fatalf("kills the app %v after it was asked to stop", w.now.Sub(w.asked))
	case s == signals.KILL && w.stops:
		w.t.Fatal("kills an app that the platform waits for")
	case s == signals.KILL:
		w.alive = 0
	case s == w.rules.StopSignal:
		w.asked = w.now
	}
}

// gone is when nothing of the app is left.
func (w *walk) gone() {
	if w.app.Phase != Draining && w.app.Phase != Down {
		return
	}
	m := w.move()
	if m.Rest(); m.Then == EndConfit {
		w.over = true
	} else {
		m.Start()
	}
}

// exit is an end of the app, for whatever reason.
func (w *walk) exit() {
	w.alive, w.left, w.stuck = 0, w.dice.IntN(2) == 0, w.dice.IntN(4) == 0
	e := &Exit{Status: process.Status([]int{0, 1 << 8, 15, 1}[w.dice.IntN(4)])}
	then := EndConfit
	switch w.move().Exited(e, Suspicion(w.dice.IntN(3))) {
	case InRestart:
		then = w.app.Then
	case LeftAtHUP:
		then = StartAgain
	}
	if w.stops && then != EndConfit {
		w.t.Fatal("goes on after a stop was asked for")
	}
	w.move().Drain(then)
}

func (w *walk) step() {
	m := w.move()
	switch w.dice.IntN(8) {
	case 0, 1:
		w.now = w.now.Add(time.Duration(w.dice.IntN(4000)) * time.Millisecond)
	case 2:
		if m.Late() {
			w.gone()
		}
	case 3:
		if m.Runs() && m.Phase == Up && !w.works {
			m.ReloadBy([]signals.Signal{signals.HUP, 10}[w.dice.IntN(2)], w.dice.IntN(2) == 0)
		}
	case 4:
		if m.Runs() && m.Phase == Up && !w.works && w.dice.IntN(4) == 0 {
			m.Restart("chance", "")
		}
	case 5:
		from := []signals.Signal{signals.INT, 10, signals.HUP, signals.TERM}[w.dice.IntN(4)]
		w.second = w.second || slices.Contains(m.Queued, from) || w.stops && from != 10 && from != signals.HUP
		w.owed[from]++
		if s := m.Outside(from); s != 0 && w.dice.IntN(8) == 0 && m.Runs() {
			if !w.stops {
				w.stops, w.asked = true, w.now
			}
			m.Stop(s)
		}
	case 6:
		if m.Runs() && (w.alive == 0 || w.dice.IntN(4) == 0) {
			w.exit()
		}
	case 7:
		m.LookForLeftovers()
		if m.Runs() && w.dice.IntN(2) == 0 {
			w.spoke = m.IsAtEntrypoint()
			m.Heard(notify.Message{State: notify.Ready}, !w.works && !w.spoke)
		}
		w.begins()
	}
}

// TestWalks: whatever happens in whatever order, what the package promises holds, and every life ends or goes on: nothing waits for ever.
func TestWalks(t *testing.T) {
	for seed := range uint64(300) {
		w := &walk{t: t, dice: rand.New(rand.NewPCG(seed, 0)), now: time.Unix(1e9, 0), owed: map[signals.Signal]int{}}
		w.rules = Rules{StopSignal: signals.TERM, StopTimeout: 3 * time.Second, DrainTimeout: 2 * time.Second, EntryTime: time.Duration(seed%2) * time.Hour, IsReload: func(s signals.Signal) bool { return s == signals.HUP }}
		w.move().Start()
		for n := 0; n < 400 && !w.over; n++ {
			for w.step(); len(w.todo) > 0; {
				a := w.todo[0]
				w.todo = w.todo[1:]
				w.perform(a)
			}
			if p := w.app.Phase; w.app.Deadline.IsZero() != (p == Up || p == Stopping && !w.move().waits() || p == Down) {
				t.Fatalf("seed %d: %v with the deadline %v", seed, p, w.app.Deadline)
			}
			if w.app.Phase == Down && !w.over {
				t.Fatalf("seed %d: it is down, and nothing follows: %q", seed, w.log)
			}
		}
	}
}

// TestOutside: TERM is a stop, whatever it is mapped to; everything else is the app's, and waits for it.
func TestOutside(t *testing.T) {
	for _, c := range []struct {
		to   map[signals.Signal]signals.Signal
		from signals.Signal
		stop signals.Signal
		sent int
	}{
		{nil, signals.TERM, signals.QUIT, 0},
		{map[signals.Signal]signals.Signal{signals.TERM: signals.INT}, signals.TERM, signals.INT, 0},
		{map[signals.Signal]signals.Signal{signals.INT: signals.TERM}, signals.INT, signals.QUIT, 0},
		{map[signals.Signal]signals.Signal{signals.INT: 0}, signals.INT, 0, 0},
		{nil, signals.INT, 0, 1},
		{map[signals.Signal]signals.Signal{signals.INT: signals.HUP}, signals.INT, 0, 1},
	} {
		w := &walk{t: t, rules: Rules{StopSignal: signals.QUIT, MapSignal: c.to, IsReload: func(signals.Signal) bool { return false }}}
		if got := w.move().Outside(c.from); got != c.stop || len(w.app.Queued) != c.sent {
			t.Errorf("%v mapped by %v: stop %v and %d that wait, want %v and %d", c.from, c.to, got, len(w.app.Queued), c.stop, c.sent)
		}
	}
}

// TestIsAtWork: nobody is said to wait for an app that may just be on its way, as each is in its first moments.
func TestIsAtWork(t *testing.T) {
	t.Parallel()
	daemon, script, loop := Sight{Program: "daemon"}, Sight{Program: "bash", Script: Script{1}, Works: true}, Sight{Program: "sh", Script: Script{2}}
	a := App{Phase: Up, Since: time.Unix(1e9, 0)}
	a.PID, a.Entry.By = 2, time.Unix(2e9, 0)
	m := &Move{App: &a, Now: a.Since.Add(time.Millisecond)}
	for i, tt := range []struct {
		seen   Sight
		begins bool
		want   bool
	}{{Sight{}, false, false}, {daemon, false, false}, {script, false, true}, {daemon, false, false}, {loop, false, false}, {loop, true, true}, {daemon, true, false}} {
		m.Saw(tt.seen)
		if tt.begins {
			a.Entry.Begun = m.Now
		}
		if got := a.IsAtWork(); got != tt.want {
			t.Errorf("%d: after %+v: %v", i, tt.seen, got)
		}
	}
}

package outcomes

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"confit/linker"
)

// walk makes random moves, with a note that takes the list at some moments only, and a hook that fails now and then.
type walk struct {
	t     *testing.T
	dice  *rand.Rand
	o     Outcomes
	m     Moment
	runs  *linker.Outcome // what the hook is told
	owed  []linker.Outcome
	count int
}

// step is one move. What was put into the list is owed until the hook has taken it.
func (w *walk) step() {
	hash := string(rune('a' + w.dice.IntN(3)))
	switch w.dice.IntN(11) {
	case 0:
		if w.o.Undelivered() == nil { // else no gate is asked
			w.o.Ask(hash)
		}
	case 1:
		if q := w.o.Question(); q != "" {
			w.owe(linker.Outcome{Hash: q, Kind: Rejected, Reason: w.next()}, w.o.Answer)
		}
	case 2:
		w.owe(linker.Outcome{Hash: hash, Kind: Relapsed, Reason: w.next()}, w.o.Put)
	case 3:
		w.o.Put(linker.Outcome{Hash: hash, Kind: Soaked, Reason: w.next()})
	case 4:
		w.o.Offer(&linker.Outcome{Hash: hash, Kind: Accepted, Source: []string{"mounted", "stored"}[w.dice.IntN(2)], Reason: w.next()})
	case 5:
		w.m.Noted, w.m.NotNoted = w.o.List, time.Time{}
	case 6:
		if w.m.NotNoted.IsZero() {
			w.m.NotNoted = w.m.Now.Add(time.Minute)
		}
	case 7:
		w.m.InForce, w.m.Hurry, w.m.MayRun = []string{"", hash}[w.dice.IntN(2)], w.dice.IntN(5) == 0, w.dice.IntN(4) > 0
	case 8:
		w.m.Now = w.m.Now.Add(time.Duration(w.dice.IntN(90)) * time.Second)
	case 9:
		w.ended(w.dice.IntN(2) == 0)
	case 10:
		if w.o.IsOutdated() || w.dice.IntN(4) == 0 {
			w.o.Interrupt(w.m.Now)
		}
	}
	w.deliver()
}

func (w *walk) next() string {
	w.count++
	return fmt.Sprint(w.count)
}

func (w *walk) owe(r linker.Outcome, put func(linker.Outcome)) {
	put(r)
	w.owed = append(w.owed, r)
}

func (w *walk) deliver() {
	r := w.o.Deliver(&w.m, 30*time.Second)
	if r == nil {
		return
	}
	told := *r
	switch {
	case w.runs != nil:
		w.t.Fatalf("a second hook is told %v", told)
	case !w.m.MayRun:
		w.t.Fatalf("%v is told where no hook may run", told)
	case w.o.IsListed(r) && IsGood(told) && told.Hash != w.m.InForce:
		w.t.Fatalf("%v is told of what isn't in force", told)
	case w.o.IsListed(r) && !slices.Contains(w.m.Noted, told) && !w.m.Hurry && (w.m.NotNoted.IsZero() || w.m.Now.Before(w.m.NotNoted)):
		w.t.Fatalf("%v is told before it is noted", told)
	case slices.Contains(w.owed, told) && told != w.owed[0]:
		w.t.Fatalf("%v is told before %v", told, w.owed[0])
	}
	w.runs = &told
}

func (w *walk) ended(failed bool) {
	told, again := w.o.Ended(&w.m, failed, 10*time.Second)
	owed := w.runs != nil && slices.Contains(w.owed, *w.runs)
	switch {
	case told != nil && (w.runs == nil || *told != *w.runs):
		w.t.Fatalf("%v has ended, and %v was told", told, w.runs)
	case failed && told != nil && owed && again == 0:
		w.t.Fatalf("%v isn't told again", *told)
	case !failed && w.runs != nil && told == nil:
		w.t.Fatalf("%v was taken, and that isn't said", *w.runs)
	case !failed && owed:
		w.owed = w.owed[1:]
	}
	w.runs = nil
}

// TestWalks: whatever happens in whatever order, what the package promises holds.
func TestWalks(t *testing.T) {
	for seed := range uint64(200) {
		w := &walk{t: t, dice: rand.New(rand.NewPCG(seed, 0)), m: Moment{Now: time.Unix(1e9, 0), MayRun: true}}
		for range 400 {
			w.step()
			for _, r := range w.owed {
				if !w.o.IsListed(&r) {
					t.Fatalf("seed %d: %v is gone, and the hook hasn't taken it", seed, r)
				}
			}
			if questions := slices.DeleteFunc(slices.Clone(w.o.List), IsDecided); len(questions) > 1 {
				t.Fatalf("seed %d: %d questions are open", seed, len(questions))
			}
			if at := w.o.Due(&w.m); w.runs == nil && !at.IsZero() && !at.After(w.m.Now) {
				t.Fatalf("seed %d: something was due %v ago, and isn't done", seed, w.m.Now.Sub(at))
			}
		}
		w.m = Moment{Now: w.m.Now.Add(time.Hour), Noted: w.o.List, MayRun: true, InForce: "a"}
		for range 50 { // it comes to an end once the hook works
			w.deliver()
			w.ended(false)
			w.m.Now = w.m.Now.Add(time.Hour)
			w.m.Noted = w.o.List
		}
		if len(w.owed) > 0 || w.o.Undelivered() != nil {
			t.Fatalf("seed %d: never told: %v, %v", seed, w.owed, w.o.List)
		}
	}
}

// TestOffer: what is no news isn't told again, and each is told once.
func TestOffer(t *testing.T) {
	var o Outcomes
	m := &Moment{Now: time.Unix(1e9, 0), MayRun: true}
	for i, step := range []struct {
		kind string
		told bool
	}{{Accepted, true}, {Accepted, false}, {Rejected, true}, {Accepted, true}} {
		o.Offer(&linker.Outcome{Hash: "a", Kind: step.kind})
		if r := o.Deliver(m, time.Minute); (r != nil) != step.told {
			t.Errorf("step %d: told %v", i, r)
		}
		o.Ended(m, i == 2, time.Minute) // which isn't told again although it fails
	}
}

// TestEnd: at the end of confit the list is told within the limit, twice at most, and nothing else.
func TestEnd(t *testing.T) {
	for _, limit := range []time.Duration{0, time.Minute} {
		var o Outcomes
		m := &Moment{Now: time.Unix(1e9, 0), MayRun: true, Ends: true}
		o.Offer(&linker.Outcome{Hash: "b", Kind: Accepted})
		o.Put(linker.Outcome{Hash: "a", Kind: Relapsed})
		m.Noted = o.List
		o.End(m.Now, limit)
		told := 0
		for !m.Now.After(time.Unix(1e9, 0).Add(limit)) && !o.Owed(m, false).IsZero() {
			if r := o.Deliver(m, time.Minute); r != nil {
				if told++; r.Kind != Relapsed {
					t.Errorf("told at the end: %v", r)
				}
				o.Ended(m, true, time.Minute)
			}
			m.Now = m.Now.Add(time.Second)
		}
		if want := map[time.Duration]int{0: 0, time.Minute: maxFails}[limit]; told != want {
			t.Errorf("within %v: told %d times, want %d", limit, told, want)
		}
	}
}

// TestLate: a hook that is overdue is killed, again and again, until it ends.
func TestLate(t *testing.T) {
	var o Outcomes
	m := &Moment{Now: time.Unix(1e9, 0), MayRun: true, Hurry: true}
	if o.Late(m.Now) {
		t.Error("no hook runs, and one is killed")
	}
	o.Put(linker.Outcome{Hash: "a", Kind: RolledBack})
	o.Deliver(m, time.Minute)
	for n, after := range []time.Duration{time.Second, time.Minute, tryAgain / 2, tryAgain} {
		m.Now = m.Now.Add(after)
		if kill, want := o.Late(m.Now), n == 1 || n == 3; kill != want {
			t.Errorf("%d: killed %v, want %v", n, kill, want)
		}
	}
	if told, again := o.Ended(m, true, 10*time.Second); told == nil || again != 10*time.Second || !o.Overdue {
		t.Errorf("told %v, again after %v", told, again)
	}
	if _, again := o.Ended(m, true, 10*time.Second); again != 0 {
		t.Error("no hook ran, and one is told again")
	}
}

// TestAgain: the wait after a failure doubles up to five minutes, and begins anew with what is put behind. A hook that was
// interrupted hasn't failed.
func TestAgain(t *testing.T) {
	var o Outcomes
	m := &Moment{Now: time.Unix(1e9, 0), MayRun: true, Hurry: true}
	o.Put(linker.Outcome{Hash: "a", Kind: Rejected})
	fail := func() time.Duration {
		m.Now = m.Now.Add(MaxRetry)
		if o.Deliver(m, time.Minute) == nil {
			t.Fatal("nothing is told")
		}
		_, again := o.Ended(m, true, time.Minute)
		return again
	}
	for _, want := range []time.Duration{time.Minute, 2 * time.Minute, 4 * time.Minute, MaxRetry, MaxRetry} {
		if again := fail(); again != want {
			t.Errorf("told again after %v, want %v", again, want)
		}
	}
	o.Put(linker.Outcome{Hash: "a", Kind: Relapsed})
	if at := o.Due(m); !at.IsZero() {
		t.Errorf("due at %v, want at once", at)
	}
	if again := fail(); again != time.Minute {
		t.Errorf("told again after %v", again)
	}
	m.Now = m.Now.Add(MaxRetry)
	o.Deliver(m, time.Minute)
	by := o.Due(m)
	if o.Put(linker.Outcome{Hash: "b", Kind: Soaked}); !o.Due(m).Equal(by) {
		t.Error("what is put behind changes the deadline of a hook that runs")
	}
	o.Interrupt(m.Now)
	if told, _ := o.Ended(m, true, time.Minute); told != nil || o.Deliver(m, time.Minute) == nil {
		t.Errorf("%v has failed, or isn't told at once", told)
	}
}

// TestNewest: of what no gate was asked about only the newest is told, also where the hook was told just that before.
func TestNewest(t *testing.T) {
	var o Outcomes
	m := &Moment{Now: time.Unix(1e9, 0), MayRun: true}
	var told string
	for _, hashes := range []string{"a", "ba", "c"} {
		for _, hash := range hashes {
			o.Offer(&linker.Outcome{Hash: string(hash), Kind: Accepted})
		}
		told += o.Deliver(m, time.Minute).Hash
		o.Ended(m, false, time.Minute)
	}
	if told != "aac" {
		t.Errorf("told %q", told)
	}
}

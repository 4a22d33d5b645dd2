package trial

import (
	"math/rand/v2"
	"testing"

	"confit/linker"
)

// life is one confit on a state directory; a kill leaves the disk to the next one.
type life struct {
	t    *testing.T
	dice *rand.Rand
	Trials
	disk    linker.Trial
	kills   map[linker.Hash]int // what was tried when a confit was killed
	lives   linker.Hash         // what the app lives on, where that counts
	stopped bool
}

// record is what the caller does after each event.
func (l *life) record() {
	if now := l.Now(l.lives); l.Record(now) {
		l.disk = now
	}
	if l.disk != l.Recorded {
		l.t.Fatalf("the disk has %+v, and %+v counts as recorded", l.disk, l.Recorded)
	}
}

func (l *life) step() {
	hash := linker.Hash{byte(1 + l.dice.IntN(3))}
	switch l.dice.IntN(7) {
	case 0:
		l.Fresh()
		l.stopped = false
	case 1, 2:
		if l.kills[hash] < 3 { // else it isn't tried
			l.Begin(hash, []string{linker.StepHooks, linker.StepPublish}[l.dice.IntN(2)], "the app", l.Kills(hash))
			if l.IsOpen() == l.stopped {
				l.t.Fatalf("after a stop %v the trial is open: %v", l.stopped, l.IsOpen())
			}
		}
	case 3:
		l.Pause()
	case 4:
		if open := l.Now(linker.Hash{}); l.IsOpen() && open.Step == l.Former.Step && open.Hash == l.Former.Hash {
			delete(l.kills, open.Hash)
		}
		if l.End(); l.IsOpen() {
			l.t.Fatal("a trial goes on after its end")
		}
	case 5:
		l.stopped = true
		if open := l.Now(linker.Hash{}); l.IsOpen() && open.Step == l.Former.Step && open.Hash == l.Former.Hash {
			delete(l.kills, open.Hash)
		}
		l.Disarm()
	case 6:
		l.record()
		l.kill()
	}
	l.record()
}

// kill ends confit. The next one has to know how often that happened in what was tried.
func (l *life) kill() {
	tried := l.Now(linker.Hash{})
	if l.IsOpen() {
		l.kills = map[linker.Hash]int{tried.Hash: tried.Kills} // of another one nothing is known any more
	}
	l.Trials, l.stopped = Former(l.disk), false
	for hash, kills := range l.kills {
		if got := l.Kills(hash); got != kills {
			l.t.Fatalf("%d kills with %v, want %d", got, hash, kills)
		}
	}
}

// TestTrials: whatever happens in whatever order, a kill counts for what was tried, and for nothing else.
func TestTrials(t *testing.T) {
	for seed := range uint64(300) {
		l := &life{t: t, dice: rand.New(rand.NewPCG(seed, 0)), kills: map[linker.Hash]int{}}
		for range 200 {
			l.step()
		}
	}
}

// TestNow: a life that counts is a trial of its own, which goes on in the same file.
func TestNow(t *testing.T) {
	of := linker.Hash{1}
	l := Former(linker.Trial{})
	first := l.Now(of)
	if first.Kills != 1 || first.Step != linker.StepPublish || !l.Record(first) || l.Record(l.Now(of)) {
		t.Errorf("a life is %+v", first)
	}
	if other := l.Now(linker.Hash{2}); other.Hash == of || other.Kills != 1 {
		t.Errorf("another life is %+v", other)
	}
	l.Begin(of, linker.StepHooks, "validate", 3)
	if open := l.Now(of); open.Kills != 4 || open.Step != linker.StepHooks {
		t.Errorf("beside a candidate it is %+v", open)
	}
}

// TestEnded: an end at the entrypoint counts as a kill there, and only once the app has begun on something else.
func TestEnded(t *testing.T) {
	of, disk := linker.Hash{1}, linker.Trial{}
	first := Former(disk)
	first.Begin(of, linker.StepEntry, "the app's entrypoint", 0)
	if !first.IsAtEntrypoint() || !first.IsFirst() {
		t.Errorf("at its entrypoint it is %+v", first)
	}
	first.Ended()
	first.End() // as confit ends
	disk = first.Now(linker.Hash{})
	for _, begins := range []bool{false, true} {
		next := Former(disk)
		if next.Kills(of) != 1 || next.IsUnconfirmed() {
			t.Fatalf("the next one finds %+v", next)
		}
		next.PutOff()
		if next.Kills(of) != 0 || !next.IsUnconfirmed() {
			t.Errorf("put off it is %+v", next)
		}
		if begins {
			next.Confirm()
		}
		after := Former(next.Now(linker.Hash{}))
		if want := map[bool]int{true: 1}[begins]; after.Kills(of) != want || after.IsUnconfirmed() || after.Former.PutOff != begins {
			t.Errorf("once the app has begun on something else %v, the next one finds %+v", begins, after)
		}
		after.Begin(of, linker.StepEntry, "the app's entrypoint", after.Kills(of))
		if after.IsFirst() == begins {
			t.Errorf("tried again it is %+v", after)
		}
	}
}

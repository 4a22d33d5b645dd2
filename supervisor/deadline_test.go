package supervisor

import (
	"errors"
	"testing"
	"time"

	"confit/config"
	"confit/linker"
	"confit/signals"
)

// idler is a confit whose app runs, and to which nothing happens but the time.
type idler struct {
	t      *testing.T
	config *config.Config
	state  *state
	now    time.Time
	looks  int // at the volumes, since the last count
}

// idles starts the app on what a former confit has accepted.
func idles(t *testing.T) *idler {
	former := linker.Rung{Generation: linker.Generation{Number: 1, Hash: linker.Hash{1}, Shared: linker.Hash{1}}, Started: true, Soaked: true, Durable: true}
	i := begins(t, former)
	i.gives(staged{candidate: linker.Candidate{Generation: former.Generation}}, published{}, started{20})
	i.isIn(running)
	return i
}

// begins is a confit that comes after one which has accepted this. There is a fallback.
func begins(t *testing.T, former linker.Rung) *idler {
	i := &idler{t: t, now: time.Unix(1e9, 0), config: &config.Config{
		Rescan: 10 * time.Second, HookTimeout: 30 * time.Second, DrainTimeout: 5 * time.Second, StopTimeout: 20 * time.Second,
		Retry: 15 * time.Second, VerifyTimeout: 2 * time.Minute, StopSignal: signals.TERM,
	}}
	i.state, _ = begin(i.config, &linker.Former{Note: linker.Note{Ladder: ladderOf(former)}}, true, i.now)
	return i
}

func (i *idler) gives(events ...event) {
	for _, e := range events {
		s, actions := step(i.config, i.state, i.now, e)
		i.state = s
		for _, a := range actions {
			if _, ok := unwrapped(a).(stage); ok {
				i.looks++
			}
		}
	}
}

func (i *idler) isIn(p phase) {
	i.t.Helper()
	if got := i.state.shown(); got != p {
		i.t.Fatalf("in phase %v, want %v", got, p)
	}
}

// waits lets the time pass until the timer goes off. What was due is taken up then.
func (i *idler) waits() {
	i.t.Helper()
	if due := i.due(); due.Before(i.now) {
		i.t.Fatalf("a deadline of %v is %v ago, or there is none", i.state.shown(), i.now.Sub(due))
	}
	i.now = i.due()
	if i.gives(elapsed{}); !i.due().After(i.now) {
		i.t.Fatalf("a deadline of %v is due again at once", i.state.shown())
	}
}

func (i *idler) due() time.Time { return earliest(i.state.timers()...) }

// changes has the next look find a candidate.
func (i *idler) changes(action config.Action) {
	i.gives(hinted{})
	i.isIn(staging)
	i.gives(staged{
		candidate:    linker.Candidate{Generation: linker.Generation{Number: 2, Hash: linker.Hash{2}, Shared: linker.Hash{2}}, Changes: []linker.Change{{Key: "key"}}},
		reloadAction: action,
	})
}

// TestDeadline_full_disk: what was rejected is tried again, and the system refuses that. The next try waits
// as long as the one before, also when the refusal took longer than that.
func TestDeadline_full_disk(t *testing.T) {
	for _, took := range []time.Duration{time.Millisecond, time.Minute} {
		i := idles(t)
		i.gives(hinted{}, invalid{reason: errors.New("key missing"), seen: "spoilt"})
		if i.isIn(running); i.state.rejected == nil {
			t.Fatal("what can't be staged isn't rejected")
		}
		i.looks = 0
		hour := i.now.Add(time.Hour)
		for most := int(time.Hour/i.config.Rescan + time.Hour/i.config.Retry); i.now.Before(hour); {
			i.waits()
			if i.state.shown() == staging {
				i.now = i.now.Add(took)
				i.gives(failed{errors.New("no space")})
				i.isIn(running)
			}
			if i.looks > most {
				t.Fatalf("%d looks in %v, each of %v; want at most %d an hour", i.looks, i.now.Sub(hour.Add(-time.Hour)), took, most)
			}
		}
		if i.looks < 30 {
			t.Errorf("%d looks in an hour, want more: it is tried again", i.looks)
		}
	}
}

// TestDeadline_missed: a look that was due while the linker did something else waits anew.
func TestDeadline_missed(t *testing.T) {
	i := idles(t)
	i.gives(hinted{}, invalid{reason: errors.New("key missing"), seen: "spoilt"})
	i.gives(hinted{})
	i.isIn(staging)
	i.now = i.now.Add(time.Minute)
	i.gives(failed{errors.New("no space")})
	i.isIn(running)
	i.looks = 0
	i.waits()
	if i.looks != 1 || i.state.isRetry {
		t.Errorf("%d looks at the next deadline, a retry: %v; want a rescan", i.looks, i.state.isRetry)
	}
}

// TestDeadline_unread: that the app has opened nothing is said when the proof is over, not a moment later at a
// deadline that passed during the proof.
func TestDeadline_unread(t *testing.T) {
	i := idles(t)
	i.config.Probation = readWait + time.Minute
	i.changes(config.Action{Kind: config.Exec, Command: []string{"reload"}})
	i.gives(published{watched: true}, hookEnded{})
	i.isIn(proving)
	if i.state.readBy.IsZero() {
		t.Fatal("nobody waits for what the app opens")
	}
	for i.state.shown() == proving {
		i.waits()
	}
	if i.isIn(running); i.state.hasRead == nil || *i.state.hasRead {
		t.Error("the status doesn't say that the app has opened nothing")
	}
	i.waits()
}

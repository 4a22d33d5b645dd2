package verdict

import (
	"maps"
	"testing"
	"time"

	"confit/linker"
	"confit/status"
)

var (
	now   = time.Unix(1e9, 0)
	keys  = linker.Hash{1}
	other = linker.Hash{2}
)

// TestNil: where nothing is known each question has an answer.
func TestNil(t *testing.T) {
	var v *Verdict
	if v.IsOf(linker.Hash{}) || v.IsIn("") || v.IsUnconfirmed() || v.Kills(linker.Hash{}) != 0 || !v.TryBy().IsZero() || v.Record() != (linker.Trial{}) {
		t.Error("nothing says something")
	}
	if v.Untried() != nil || v.Postponed(now) != nil || v.BehindOther() != nil || v.Confirmed() != nil || v.Waits(now, time.Second) != nil {
		t.Error("a change of nothing is something")
	}
	if v.IsBearable() || v.Ends() != (Exit{}) {
		t.Error("nothing decides how confit ends")
	}
	if n := len(v.Undelivered(map[string]status.Sum{"a": "1"}, now)); n != 0 {
		t.Errorf("nothing holds up %d keys", n)
	}
}

// TestWith: a verdict never changes.
func TestWith(t *testing.T) {
	v := &Verdict{Inputs: keys, Wait: time.Minute, Next: now}
	v.Waits(now, time.Hour)
	v.Untried()
	v.Postponed(now)
	v.BehindOther()
	v.Confirmed()
	if v.Next != now || v.Wait != time.Minute || v.PutOff || v.Attempts != 0 {
		t.Errorf("it has become %+v", v)
	}
}

// TestPostponed: a try that is due and can't begin waits anew. Before, and where there is none, nothing changes.
func TestPostponed(t *testing.T) {
	for name, c := range map[string]struct{ next, want time.Time }{
		"due":   {now, now.Add(time.Minute)},
		"over":  {now.Add(-time.Hour), now.Add(time.Minute)},
		"ahead": {now.Add(1), now.Add(1)},
		"never": {},
	} {
		v := &Verdict{Next: c.next, Wait: time.Minute}
		if got := v.Postponed(now).Next; !got.Equal(c.want) {
			t.Errorf("%s: next at %v, want %v", name, got, c.want)
		}
	}
}

// TestLate: what the app died of isn't tried for an hour, the next times for 2, 4 … 24, until it dies of something else.
func TestLate(t *testing.T) {
	var v *Verdict
	for _, hours := range []int{1, 2, 4, 8, 16, 24, 24} {
		want := time.Duration(hours) * time.Hour
		if v = Late(keys, other, now, v.LateAgain(keys, other)); v.Wait != want || v.Next != now.Add(want) {
			t.Errorf("waits %v until %v, want %v", v.Wait, v.Next, want)
		}
	}
	if !v.IsOf(keys) || v.Common != other || !v.IsIn(StepSoak) {
		t.Errorf("it is %+v", v)
	}
	if wait := v.LateAgain(linker.Hash{3}, keys); wait != time.Hour {
		t.Errorf("another waits %v", wait)
	}
	if wait := v.LateAgain(linker.Hash{3}, other); wait != 24*time.Hour {
		t.Errorf("what was rotated waits %v", wait)
	}
}

// TestIsLike: what the app has read is known by what replicas share, too, where there is any. What it hasn't isn't.
func TestIsLike(t *testing.T) {
	for name, c := range map[string]struct {
		v    Verdict
		want bool
	}{
		"the same":          {Verdict{Inputs: keys}, true},
		"rotated":           {Verdict{Common: other, Read: true}, true},
		"rotated, not read": {Verdict{Common: other}, false},
		"another":           {Verdict{Inputs: other, Common: keys, Read: true}, false},
	} {
		if got := c.v.IsLike(keys, other); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
	if none := (&Verdict{Inputs: other, Read: true}); none.IsLike(keys, linker.Hash{}) {
		t.Error("what could not be staged is like another one")
	}
}

// TestKilled: each kill counts, in whatever step; but at the entrypoint only what ended there before, and nothing of other keys.
func TestKilled(t *testing.T) {
	var v *Verdict
	for i, step := range []string{linker.StepHooks, linker.StepPublish, linker.StepHooks} {
		if v = Killed(v, keys, step, "the app"); v.Kills(keys) != i+1 || v.Step != step || v.Kills(other) != 0 {
			t.Errorf("after %d: %+v", i, v)
		}
	}
	if n := Killed(v, other, linker.StepHooks, "").Attempts; n != 1 {
		t.Errorf("others were killed %d times", n)
	}
	entry := Killed(v, keys, linker.StepEntry, "the app's entrypoint")
	if entry.Attempts != 1 || Killed(entry, keys, linker.StepEntry, "").Attempts != 2 {
		t.Errorf("at the entrypoint: %+v", entry)
	}
	record := linker.Trial{Hash: keys, Step: linker.StepHooks, Kills: 3, Suspects: "the app"}
	if got := Found(v.Record()); v.Record() != record || got.Record() != record {
		t.Errorf("the next confit finds %+v", got)
	}
}

// TestBehindOther: what is put off for something else keeps its kills, but for an end at the entrypoint: that counts once the app has
// begun on the other.
func TestBehindOther(t *testing.T) {
	kill := Killed(nil, keys, linker.StepPublish, "the app").BehindOther()
	if !kill.PutOff || kill.Attempts != 1 || kill.IsUnconfirmed() {
		t.Errorf("a kill: %+v", kill)
	}
	end := Killed(nil, keys, linker.StepEntry, "").BehindOther()
	if !end.PutOff || !end.IsUnconfirmed() || !end.Record().PutOff {
		t.Errorf("an end: %+v", end)
	}
	if end = end.Confirmed(); end.IsUnconfirmed() || end.Attempts != 1 || !end.PutOff {
		t.Errorf("confirmed: %+v", end)
	}
}

// TestHoldsUp: keys that came after the first refusal are held up since they came, as long as one of the first is still there.
func TestHoldsUp(t *testing.T) {
	at := func(minutes int) time.Time { return now.Add(time.Duration(minutes) * time.Minute) }
	sums := func(names ...string) map[string]status.Sum {
		list := map[string]status.Sum{}
		for _, n := range names {
			list[n] = "1"
		}
		return list
	}
	first := &Verdict{Rejection: status.Rejection{Keys: sums("bad")}}
	held := first.Undelivered(sums("bad", "cert"), at(1))
	if want := map[string]status.Time{"cert": status.At(at(1))}; !maps.Equal(held, want) {
		t.Errorf("held up: %v, want %v", held, want)
	}
	second := &Verdict{Rejection: status.Rejection{Keys: sums("bad", "cert"), HeldUp: held}}
	if again := second.Undelivered(sums("bad", "cert"), at(2)); !maps.Equal(again, held) {
		t.Errorf("held up later: %v, want %v", again, held)
	}
	if none := second.Undelivered(sums("cert"), at(3)); len(none) != 0 {
		t.Errorf("without what was refused first: %v", none)
	}
}

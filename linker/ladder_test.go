package linker

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// aLadder is what edits, starts and deaths may leave.
func aLadder(r *rand.Rand) (l Ladder) {
	for n := range 1 + r.IntN(20) {
		switch g := (Generation{Number: n + 1, Hash: Hash{byte(1 + r.IntN(6))}}); r.IntN(5) {
		case 0:
			if l.Len() > 0 {
				l = l.Soak(r.IntN(2) == 0)
			}
		case 1:
			if l.HasBelow() {
				l.On++
			}
		case 2:
			if !l.InForce().Durable {
				l.InForce().Deaths++
			}
		default:
			l = l.Accept(g, r.IntN(2) == 0, false)
		}
	}
	return l
}

// TestLadder: whatever comes, there are at most three rungs, the newest is on top, each hash stands there once, and nothing is below
// what is durable.
func TestLadder(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 20_000 {
		l := aLadder(r)
		n := l.Numbers()
		hashes := map[Hash]bool{}
		for i, rung := range l.Rungs[:l.Len()] {
			hashes[rung.Hash] = true
			if rung.Durable && (i < l.Len()-1 || !rung.Started || !rung.Soaked) {
				t.Fatalf("below what is durable, or it isn't started and soaked: %+v", l)
			}
		}
		switch {
		case len(n) > 3 || l.On > max(0, len(n)-1):
			t.Fatalf("too many rungs, or the app is on none: %+v", l)
		case !slices.IsSortedFunc(n, func(a, b int) int { return b - a }):
			t.Fatalf("not the newest first: %v", n)
		case len(hashes) != len(n):
			t.Fatalf("the same bytes stand there twice: %+v", l)
		}
	}
}

// TestLadder_keeps: what the app has lived on and not died of stays below until something newer does; the oldest, until something is durable.
func TestLadder_keeps(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	find := func(l Ladder, is func(Rung) bool) (newest, oldest int) {
		for _, rung := range l.Rungs {
			if rung.Number != 0 && is(rung) {
				newest, oldest = max(newest, rung.Number), rung.Number
			}
		}
		return newest, oldest
	}
	for range 20_000 {
		before := aLadder(r)
		after := before.Accept(Generation{Number: 99, Hash: Hash{99}}, r.IntN(2) == 0, false)
		reached := before
		reached.Rungs = [maxRungs]Rung{}
		copy(reached.Rungs[:], before.Rungs[before.On:])
		for name, is := range map[string]func(Rung) bool{
			"durable":             func(r Rung) bool { return r.Durable },
			"soaked":              func(r Rung) bool { return r.Soaked && r.Deaths == 0 },
			"lived on":            func(r Rung) bool { return (r.Started || r.Soaked) && r.Deaths == 0 },
			"lived on by any app": func(r Rung) bool { return r.Started || r.Soaked },
		} {
			newest, oldest := find(reached, is)
			if kept, _ := find(after, func(r Rung) bool { return r.Number != 99 && is(r) }); newest != 0 && kept == 0 {
				t.Fatalf("nothing %s stays: %+v, then %+v", name, before, after)
			}
			durable, _ := find(reached, func(r Rung) bool { return r.Durable })
			if name == "lived on" && durable == 0 && oldest != 0 && !slices.Contains(after.Numbers(), oldest) {
				t.Fatalf("the oldest goes: %+v, then %+v", before, after)
			}
		}
		if after.On != 0 || after.Top().Number != 99 || after.Top().Deaths != 0 {
			t.Fatalf("not on top, or it counts on: %+v", after)
		}
	}
}

// TestLadder_base: the app can go back to the edition before two that came within a minute.
func TestLadder_base(t *testing.T) {
	g := func(n byte) Generation { return Generation{Number: int(n), Hash: Hash{n}} }
	fresh := Ladder{}.Accept(g(1), true, false).Accept(g(2), true, false).Accept(g(3), true, false)
	yesterday := Ladder{}.Accept(g(1), true, false).Soak(true).Accept(g(2), false, false).Accept(g(3), false, false)
	fixed := Ladder{}.Accept(g(1), true, false)
	fixed.Top().Deaths = 1
	fixed = fixed.Accept(g(2), true, false).Accept(g(3), false, false).Accept(g(4), false, false)
	soaked := Ladder{}.Accept(g(1), true, false).Soak(true).Accept(g(2), false, false).Soak(false).Accept(g(3), false, false).Accept(g(4), false, false)
	for name, c := range map[string]struct {
		is   Ladder
		want []int
	}{
		"fresh":     {fresh, []int{3, 2, 1}},
		"yesterday": {yesterday, []int{3, 2, 1}},
		"fixed":     {fixed, []int{4, 3, 2}},
		"soaked":    {soaked, []int{4, 2, 1}},
	} {
		if got := c.is.Numbers(); !slices.Equal(got, c.want) {
			t.Errorf("%s: kept %v, want %v", name, got, c.want)
		}
	}
}

// TestLadder_deaths: what the app has died of doesn't take the place of what it lived on.
func TestLadder_deaths(t *testing.T) {
	l := Ladder{}.Accept(Generation{Number: 1, Hash: Hash{1}}, true, false).Accept(Generation{Number: 2, Hash: Hash{2}}, true, false)
	l.Top().Deaths = 1
	l = l.Accept(Generation{Number: 3, Hash: Hash{3}}, true, false)
	if got := l.Numbers(); !slices.Equal(got, []int{3, 1}) {
		t.Errorf("kept %v", got)
	}
	if got := l.Accept(Generation{Number: 4, Hash: Hash{1}}, false, false); !got.Top().Started || got.Top().Number != 4 {
		t.Errorf("what was accepted before has lost what it proved: %+v", got.Top())
	}
	if got := l.Accept(Generation{Number: 4, Hash: Hash{4}}, true, true); got.Len() != 1 {
		t.Errorf("nothing is to be kept, and %v are", got.Numbers())
	}
}

// TestLadder_back: the app has ended on all rungs: they stay, but for the fallback that was only tried, and no death counts.
func TestLadder_back(t *testing.T) {
	l := Ladder{}.Accept(Generation{Number: 1, Hash: Hash{1}, AcceptedAt: 1}, true, false).Accept(Generation{Number: 2, Hash: Hash{2}, AcceptedAt: 2}, true, false)
	l.Rungs[2], l.On = Rung{Generation: Generation{Number: 3, Hash: Hash{3}, Fallback: true}}, 2
	l.Top().Deaths, l.InForce().Deaths = 2, 1
	if back := l.BackToTop(); back.On != 0 || !slices.Equal(back.Numbers(), []int{2, 1}) || back.Top().Deaths != 0 {
		t.Errorf("back to %+v", back)
	}
	for i, want := range [][]int{{1, 3}, {2, 3}, {2, 1}} {
		on := l.On
		l.On = i
		got := l.Without()
		if l.On = on; !slices.Equal(got.Numbers(), want) || got.InForce().Number != l.Rungs[i+1].Number {
			t.Errorf("without %d: %v, on %d", i, got.Numbers(), got.On)
		}
	}
}

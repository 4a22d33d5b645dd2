package linker

import "slices"

// maxRungs is how many accepted generations are kept: three, and one of the fallback.
const maxRungs = 4

// Rung is an accepted generation, and what it has proved.
type Rung struct {
	Generation      // Number 0: there is none
	Started    bool `json:"started"`          // an app that was started on it has survived its probation
	Soaked     bool `json:"soaked"`           // the app has lived with it for --soak, by a start or a reload
	Durable    bool `json:"durable"`          // the same, by a start: nothing is gone back to from it
	Deaths     int  `json:"deaths,omitempty"` // of the app in a row, before it was durable
	Told       Told `json:"told"`             // what was told of it after it was accepted
}

// Told is what was decided to be told of an accepted generation, later than that. The zero value is
// for one that no gate was asked about.
type Told struct {
	Asked    bool `json:"asked"`              // a gate was asked about what all replicas share of it
	Relapsed bool `json:"relapsed,omitempty"` // the app has ended before it had lived with it for long enough
	Soaked   bool `json:"soaked,omitempty"`   // the app has lived with it for long enough
}

// Ladder is what there is to start the app on: the accepted generations, the newest first. The zero
// value has none.
type Ladder struct {
	Rungs [maxRungs]Rung // after the last one their Number is 0
	On    int            // which of them the app is on; one behind the last: the fallback is tried
}

// Top is the generation that was accepted last.
func (l *Ladder) Top() *Rung { return &l.Rungs[0] }

// InForce is the rung that the app is on. Its Number is 0 where there is none.
func (l *Ladder) InForce() *Rung { return &l.Rungs[l.On] }

// Len is how many rungs there are.
func (l *Ladder) Len() (n int) {
	for n < maxRungs && l.Rungs[n].Number != 0 {
		n++
	}
	return n
}

// HasBelow reports that there is a rung below the one that the app is on.
func (l *Ladder) HasBelow() bool { return l.On+1 < l.Len() }

// Above are the rungs that the app has died of, the oldest first.
func (l *Ladder) Above() (above []Rung) {
	for i := l.On - 1; i >= 0; i-- {
		above = append(above, l.Rungs[i])
	}
	return above
}

// Numbers lists the generations.
func (l *Ladder) Numbers() (numbers []int) {
	for _, r := range l.Rungs[:l.Len()] {
		numbers = append(numbers, r.Number)
	}
	return numbers
}

// Accept is the ladder after g is accepted, while the app was on one of its rungs: what is above
// that goes. Below g stay two. The base is the newest that is durable or, while none is, the oldest
// that the app has lived on and hasn't died of. Of those above the base that it hasn't died of the
// newest that has soaked stays or, while none has, the newest. With keepsNone nothing stays. Bytes
// that were accepted before keep what they have proved.
func (l Ladder) Accept(g Generation, started, keepsNone bool) (next Ladder) {
	top := Rung{Generation: g}
	if former := l.InForce(); former.Number != 0 && former.Shared == g.Shared {
		top.Told = former.Told
	}
	var below []Rung
	for _, r := range l.Rungs[l.On:max(l.On, l.Len())] {
		if r.Hash == g.Hash {
			top.Started, top.Soaked, top.Durable = r.Started, r.Soaked, r.Durable
		} else {
			below = append(below, r)
		}
	}
	top.Started = top.Started || started
	next.Rungs[0] = top
	if keepsNone || top.Durable {
		return next
	}
	base := baseOf(below)
	newer := below[:base]
	above := slices.IndexFunc(newer, func(r Rung) bool { return r.Soaked && r.Deaths == 0 })
	if above < 0 {
		above = slices.IndexFunc(newer, func(r Rung) bool { return r.Deaths == 0 })
	}
	for i, r := range below {
		if i == above || i == base {
			next.Rungs[next.Len()] = r
		}
	}
	return next
}

// baseOf is which of some rungs is the base. One that the app has died of is that only where it has
// lived on nothing else.
func baseOf(rungs []Rung) int {
	oldest := -1
	for i, r := range rungs {
		switch {
		case r.Durable:
			return i
		case (r.Started || r.Soaked) && (r.Deaths == 0 || oldest < 0):
			oldest = i
		}
	}
	if oldest < 0 {
		return len(rungs)
	}
	return oldest
}

// Soak is the ladder after the app has lived with the generation in force for long enough. Rungs
// above go, as the app has died of them. What is durable has nothing below.
func (l Ladder) Soak(byStart bool) (next Ladder) {
	n := l.Len()
	if byStart {
		n = l.On + 1
	}
	copy(next.Rungs[:], l.Rungs[l.On:n])
	top := next.Top()
	top.Started, top.Soaked, top.Durable, top.Deaths = top.Started || byStart, true, top.Durable || byStart, 0
	return next
}

// From is the ladder from the rung that the app is on.
func (l Ladder) From() (next Ladder) {
	copy(next.Rungs[:], l.Rungs[l.On:])
	return next
}

// BackToTop is the ladder after the app has ended on all its rungs: none is to blame. The fallback
// that was tried goes.
func (l Ladder) BackToTop() Ladder {
	for i := range l.Rungs {
		if r := &l.Rungs[i]; r.Fallback && r.AcceptedAt == 0 {
			*r = Rung{}
		}
		l.Rungs[i].Deaths = 0
	}
	l.On = 0
	return l
}

// Of is the ladder of those rungs that are there. Where the one is gone that the app was on, it is
// on the next one, else on the top.
func (l Ladder) Of(isThere func(number int) bool) Ladder {
	rungs := slices.Clone(l.Rungs[:l.Len()])
	for i := range rungs {
		if !isThere(rungs[i].Number) {
			rungs[i] = Rung{}
		}
	}
	return ladderOf(rungs, l.On)
}

// ladderOf is the ladder of those rungs that have a number, as far as it has places.
func ladderOf(rungs []Rung, on int) (l Ladder) {
	n := 0
	for i, r := range rungs {
		if r.Number == 0 || n == maxRungs {
			continue
		}
		l.Rungs[n] = r
		n++
		if i < on {
			l.On++
		}
	}
	triesFallback := on == len(rungs) && n < maxRungs
	if l.On == n && !triesFallback {
		l.On = 0
	}
	return l
}

// Without is the ladder without the rung that the app is on, which can't be gone back to. The app
// is on the next one, if any.
func (l Ladder) Without() Ladder {
	copy(l.Rungs[l.On:], l.Rungs[l.On+1:])
	l.Rungs[maxRungs-1] = Rung{}
	return l
}

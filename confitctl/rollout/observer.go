package rollout

import (
	"fmt"
	"time"
)

// grace is added to a bound before a hold lapses: for the time between the gate's
// last update and its exit, and for clocks that run apart.
const grace = 30 * time.Second

// maxBound is a day, in seconds: nobody waits longer, whatever a record says.
const maxBound = 24 * 60 * 60

// An observer believes the server's clock about what is long ago only if it has
// seen it for shortest, and the two clocks didn't run apart by more than apart
// meanwhile. Time between two looks counts up to maxGap, which is as far as looks
// are apart while the server answers.
const (
	shortest = time.Minute
	apart    = 5 * time.Second
	maxGap   = 100 * time.Second
)

// Moment is when a replica looks at the record.
type Moment struct {
	Own  time.Duration `json:"own"`            // its own clock, since any one event; it never goes back
	Date int64         `json:"date,omitempty"` // the clock of whoever stores the record, in seconds since 1970; 0: it didn't say
}

// Observer is what one replica has seen of a record: for how long each hold, each
// revision's last loss and each late verdict is as it is. Only time counts in which
// the store answered. The zero Observer has seen nothing. It may be kept as JSON,
// as long as its own clock goes on.
type Observer struct {
	Last     Moment              `json:"last"` // of the last look
	Answered bool                `json:"answered,omitempty"`
	Seen     map[string]Sighting `json:"seen,omitempty"`
}

// Sighting is since when something is as it is.
type Sighting struct {
	Since Moment        `json:"since"`
	For   time.Duration `json:"for"` // of this, time in which the store answered
}

// Each of these is named by its serial, which no other one has.
func (v *Revision) holdMark(h Hold) string { return fmt.Sprintf("%s/%s/%d", v.Name, h.Pod, h.Serial) }
func (v *Revision) lateMark(l Late) string { return fmt.Sprintf("%s/%s/%d", v.Name, l.Pod, l.Serial) }
func (v *Revision) lossMark() string       { return fmt.Sprintf("%s//%d", v.Name, v.Trial.Lost) }

// Look is the observer after one more look at the record.
func (o Observer) Look(r Record, now Moment) Observer {
	passed := now.Own - o.Last.Own
	if !o.Answered || passed > maxGap {
		passed = 0
	}
	next := Observer{Last: now, Answered: true, Seen: map[string]Sighting{}}
	note := func(mark string) {
		s, seen := o.Seen[mark]
		if !seen {
			s.Since = now
		} else {
			s.For += max(0, passed)
		}
		next.Seen[mark] = s
	}
	for _, v := range r.Revisions {
		for _, l := range v.Late {
			note(v.lateMark(l))
		}
		if v.Trial == nil {
			continue
		}
		note(v.lossMark())
		for _, h := range v.Trial.Holds {
			note(v.holdMark(h))
		}
	}
	return next
}

// Missed is the observer after a look that the store didn't answer. The time until
// the next one doesn't count.
func (o Observer) Missed() Observer {
	o.Answered = false
	return o
}

// over reports that something which began then is so long ago: by the observer's own
// clock, or by the store's if that can be believed.
func (o Observer) over(mark string, at int64, long time.Duration) bool {
	s, seen := o.Seen[mark]
	switch {
	case !seen:
		return long <= 0
	case s.For >= long:
		return true
	case at == 0 || s.Since.Date == 0 || o.Last.Date == 0 || s.For < shortest:
		return false
	}
	ran := time.Duration(o.Last.Date-s.Since.Date) * time.Second
	return (ran-(o.Last.Own-s.Since.Own)).Abs() <= apart && o.Last.Date-at >= int64(seconds(long))
}

// Sweep is the record without the holds that have lapsed in the eyes of an
// observer, and with late verdicts closed that nobody waits for any more. Whoever
// stores it first has counted the loss.
func (r Record) Sweep(o Observer) Record {
	next := r.clone()
	for _, v := range next.Revisions {
		for i, l := range v.Late {
			v.Late[i].Open = l.Open && !o.over(v.lateMark(l), l.At, lapse(l.Bound))
		}
		if v.Trial == nil {
			continue
		}
		kept := v.Trial.Holds[:0]
		for _, h := range v.Trial.Holds {
			if o.over(v.holdMark(h), h.At, lapse(h.Bound)) {
				next.lost(v, o.Last.Date)
			} else {
				kept = append(kept, h)
			}
		}
		v.Trial.Holds = kept
	}
	return next
}

// lapse is when something ends that was seen all the time.
func lapse(bound int) time.Duration {
	return time.Duration(min(max(0, bound), maxBound))*time.Second + grace
}

package rollout

import "time"

// grace is added to a hold's bound before it lapses: for the time between the
// gate's last update and its exit, and for clocks that run apart.
const grace = 30 * time.Second

// maxBound is a day, in seconds: nobody waits longer, whatever a record says.
const maxBound = 24 * 60 * 60

// Observer is what one process has seen of a record: since when each hold, and
// each revision's last loss, is as it is. Times are those of the process's own
// monotonic clock, so no two clocks are ever compared. The zero Observer has
// seen nothing. Whoever starts to observe waits for the whole time again.
type Observer map[mark]time.Duration

// mark is a hold or a loss; no serial is used twice in a record.
type mark struct {
	revision string
	pod      string // "" for a loss
	serial   int
}

func (v *Revision) holdMark(h Hold) mark { return mark{v.Name, h.Pod, h.Serial} }

func (v *Revision) lossMark() mark { return mark{v.Name, "", v.Trial.Lost} }

// Look is the observer after one more look at the record.
func (o Observer) Look(r Record, now time.Duration) Observer {
	seen := Observer{}
	note := func(m mark) { seen[m] = now - o.age(m, now) }
	for _, v := range r.Revisions {
		if v.Trial == nil {
			continue
		}
		note(v.lossMark())
		for _, h := range v.Trial.Holds {
			note(v.holdMark(h))
		}
	}
	return seen
}

// age is for how long a mark has been seen; 0 when it is new.
func (o Observer) age(m mark, now time.Duration) time.Duration {
	since, ok := o[m]
	if !ok {
		return 0
	}
	return now - since
}

// sweep is the record without the holds that have lapsed in the eyes of an
// observer. Whoever stores it first has counted the loss.
func (r Record) sweep(o Observer, now time.Duration) Record {
	next := r.clone()
	for _, v := range next.Revisions {
		if v.Trial == nil {
			continue
		}
		kept := v.Trial.Holds[:0]
		for _, h := range v.Trial.Holds {
			if o.age(v.holdMark(h), now) >= h.lapse() {
				next.lost(v)
			} else {
				kept = append(kept, h)
			}
		}
		v.Trial.Holds = kept
	}
	return next
}

// lapse is when a hold ends that was seen all the time.
func (h Hold) lapse() time.Duration { return time.Duration(min(h.Bound, maxBound))*time.Second + grace }

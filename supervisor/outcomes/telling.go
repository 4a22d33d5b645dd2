package outcomes

import (
	"slices"
	"time"

	"confit/linker"
)

// Hook is the slot of the report hook.
type Hook struct {
	Reporting   *linker.Outcome // what the hook that runs is told; nil: none runs
	By          time.Time       // when that is killed; or, if none runs, started again
	Wait        time.Duration   // before the last try; the next wait is twice as long
	Overdue     bool            // it was killed at its deadline
	interrupted bool            // it was killed as a stop or the app comes first

	until time.Time // how long the end of confit waits for the hook; zero: confit doesn't end
	fails int       // how often it has failed since then
}

func (h *Hook) runs() bool { return h.Reporting != nil }

// maxFails is how often the hook is tried at the end of confit.
const maxFails = 2

const (
	// MaxRetry bounds the wait before another try, which doubles with each try.
	MaxRetry = 5 * time.Minute
	// tryAgain is the wait at the end of confit.
	tryAgain = time.Second
)

// Moment is what the outcomes depend on and don't know.
type Moment struct {
	Now      time.Time
	InForce  string           // the accepted hash, where just that is in force; "": it isn't
	Noted    []linker.Outcome // the list that the note holds
	NotNoted time.Time        // when an outcome is told that can't be noted; zero: nothing kept it from that
	Hurry    bool             // no time is left to note anything
	MayRun   bool             // a hook may run
	Ends     bool             // nothing is left of the app: only the list is told
}

// next is what has to be told next, or nil.
func (o *Outcomes) next(m *Moment) *linker.Outcome {
	r := o.firstInList(m)
	if r == nil && !m.Ends {
		return o.other
	}
	return r
}

// firstInList is what the list has to tell now, or nil. That all is well is told of what is in
// force.
func (o *Outcomes) firstInList(m *Moment) *linker.Outcome {
	i := slices.IndexFunc(o.List, IsDecided)
	if i < 0 || o.fails >= maxFails || IsGood(o.List[i]) && o.List[i].Hash != m.InForce {
		return nil
	}
	return &o.List[i]
}

// from is when the hook may run, and whether there is anything to tell. What stands in the list is
// noted first, but for a stop, which may leave no time for that, and for a disk that stays full.
func (o *Outcomes) from(m *Moment) (from time.Time, may bool) {
	r := o.next(m)
	switch {
	case r == nil || o.runs() || !m.MayRun:
	case r == o.other, slices.Contains(m.Noted, *r), m.Hurry:
		return o.By, true
	case m.NotNoted.After(o.By):
		return m.NotNoted, true
	case !m.NotNoted.IsZero():
		return o.By, true
	}
	return time.Time{}, false
}

// Due is when there is something to do for the hook; zero: never, without another event.
func (o *Outcomes) Due(m *Moment) time.Time {
	if o.runs() {
		return o.By
	}
	from, _ := o.from(m)
	return from
}

// Deliver returns what the hook is to be told now, within limit; nil: nothing.
func (o *Outcomes) Deliver(m *Moment, limit time.Duration) *linker.Outcome {
	from, may := o.from(m)
	if !may || m.Now.Before(from) {
		return nil
	}
	o.Reporting, o.By = o.next(m), m.Now.Add(limit)
	o.Overdue, o.interrupted = false, false
	return o.Reporting
}

// IsOutdated reports that the hook is told that all is well, and something else follows.
func (o *Outcomes) IsOutdated() bool {
	return o.runs() && IsGood(*o.Reporting) && o.Reporting != o.other && !o.IsListed(o.Reporting) && !o.interrupted
}

// Late reports that the hook has to be killed, as its time is over.
func (h *Hook) Late(now time.Time) (kill bool) {
	if !h.runs() || now.Before(h.By) {
		return false
	}
	h.Overdue = true
	h.By = now.Add(tryAgain)
	return true
}

// Interrupt ends a hook that runs: what it was told is told again later. It reports whether one has
// to be killed.
func (h *Hook) Interrupt(now time.Time) (kill bool) {
	if !h.runs() {
		return false
	}
	h.interrupted = true
	h.By = now.Add(tryAgain)
	return true
}

// TellList has the list told, whatever the hook is told now. It reports whether that has to be
// killed.
func (o *Outcomes) TellList(now time.Time) (kill bool) {
	if !o.runs() {
		o.By = time.Time{}
		return false
	}
	return !o.IsListed(o.Reporting) && o.Interrupt(now)
}

// Runs reports that a hook runs, and that nothing has ended it.
func (o *Outcomes) Runs() bool { return o.runs() && !o.interrupted }

// Ended takes the end of the hook, or of the attempt to start it; failed says how that went. It
// returns what the hook was told, nil if that doesn't matter; and how long to wait until that is
// told again, 0 if it is told no more. After a failure retry is the first wait.
func (o *Outcomes) Ended(m *Moment, failed bool, retry time.Duration) (told *linker.Outcome, again time.Duration) {
	told = o.Reporting
	o.Reporting, o.By = nil, time.Time{}
	switch {
	case told == nil, failed && o.interrupted:
		return nil, 0
	case failed && o.IsListed(told):
		again = o.tellAgain(m, retry)
	default:
		o.last, o.Wait, o.fails = told, 0, 0
		o.drop(func(r linker.Outcome) bool { return r == *told })
	}
	if told == o.other {
		o.other = nil
	}
	return told, again
}

// tellAgain sets when the hook runs again that has failed.
func (o *Outcomes) tellAgain(m *Moment, retry time.Duration) time.Duration {
	o.Wait = min(max(2*o.Wait, retry), MaxRetry)
	if m.Ends {
		o.fails++
		o.Wait = tryAgain
	}
	o.By = m.Now.Add(o.Wait)
	return o.Wait
}

// End sets for how long the end of confit waits for the hook, once. What the hook hasn't taken then
// stays in the note. It reports whether a hook has to be killed.
func (o *Outcomes) End(now time.Time, limit time.Duration) (kill bool) {
	if !o.until.IsZero() {
		return false
	}
	o.until = now.Add(limit)
	if limit > 0 {
		return o.TellList(now)
	}
	o.fails = maxFails
	return o.Interrupt(now)
}

// Owed is until when the end waits for the list; zero: that has nothing to tell. follows says that
// something may come into it in a moment.
func (o *Outcomes) Owed(m *Moment, follows bool) time.Time {
	if o.fails < maxFails && follows || o.firstInList(m) != nil {
		return o.until
	}
	return time.Time{}
}

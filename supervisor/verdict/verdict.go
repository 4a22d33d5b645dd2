// Package verdict knows what is known against staged keys: what failed, when that is told, and when
// they are tried again.
//
// It guarantees that
//   - a verdict never changes: what happens later makes another one;
//   - one that is nil says nothing against anything, and each question about it has an answer;
//   - what is tried again waits twice as long each time, up to a bound;
//   - an end at the entrypoint counts only once the app has begun on something else.
//
// It says nothing, and writes nothing: the caller knows what is mounted and in force, tells what is
// due, and has noted what the next confit has to know.
package verdict

import (
	"time"

	"confit/linker"
	"confit/status"
)

// Verdict is what is known against staged keys.
type Verdict struct {
	Inputs linker.Hash // of what comes from volumes; zero where nothing could be staged
	Common linker.Hash // of what all replicas share of it; zero where nobody knows

	status.Rejection // what failed, as it is told

	From     time.Time     // when it is told, noted and counted: a stop before then removes it
	Next     time.Time     // when the keys are tried again; zero: only others are
	Wait     time.Duration // before Next
	PutOff   bool          // something else came first, once
	Bearable bool          // the app can be started on it if nothing else is left
	End      Exit          // how confit ends if nothing else is left
	Read     bool          // the app may have read the keys, so what all replicas share is to blame as well
	Death    bool          // of the app on what is accepted: it is counted, and not shown

	Outcome *linker.Outcome // what the report hook is to tell then; nil: nothing
}

// Exit is how confit ends.
type Exit struct {
	Code   int
	Reason error // nil when the app or the platform decided it
}

// IsOf reports that it is about what comes from volumes so.
func (v *Verdict) IsOf(inputs linker.Hash) bool { return v != nil && v.Inputs == inputs }

// IsLike reports the same, or that the app may have read what all replicas share of it. A key that each
// replica has for itself may have been rotated since.
func (v *Verdict) IsLike(inputs, common linker.Hash) bool {
	return v.IsOf(inputs) || v != nil && v.Read && v.Common == common && common != linker.Hash{}
}

// TryBy is when its keys are tried again; zero: they aren't.
func (v *Verdict) TryBy() (next time.Time) {
	if v != nil {
		next = v.Next
	}
	return next
}

// With is the verdict with a change. Nothing known stays so.
func (v *Verdict) With(change func(*Verdict)) *Verdict {
	if v == nil {
		return nil
	}
	next := *v
	change(&next)
	return &next
}

// Waits is the verdict whose keys are tried after a wait.
func (v *Verdict) Waits(now time.Time, wait time.Duration) *Verdict {
	return v.With(func(v *Verdict) { v.Next, v.Wait = now.Add(wait), wait })
}

// Postponed is the verdict whose try is due, and can't begin now: it waits anew.
func (v *Verdict) Postponed(now time.Time) *Verdict {
	if v == nil || v.Next.IsZero() || now.Before(v.Next) {
		return v
	}
	return v.Waits(now, v.Wait)
}

// Untried is the verdict whose keys aren't tried again.
func (v *Verdict) Untried() *Verdict {
	return v.With(func(v *Verdict) { v.Next = time.Time{} })
}

// IsBearable reports that the app can be started on its keys if nothing else is left.
func (v *Verdict) IsBearable() bool { return v != nil && v.Bearable }

// Ends is how confit ends if nothing else is left.
func (v *Verdict) Ends() (end Exit) {
	if v != nil {
		end = v.End
	}
	return end
}

// LongerWait is how long the next try waits when the one before has failed.
func (v *Verdict) LongerWait(longest time.Duration) time.Duration { return min(2*v.Wait, longest) }

// StepSoak rejects what the app has died of after it was accepted.
const StepSoak = "soak"

// How long what the app died of late isn't tried.
const (
	firstLateWait   = time.Hour
	longestLateWait = 24 * time.Hour
)

// Late is the verdict on what the app died of after it was accepted: only a start tries it, and not for
// a while.
func Late(inputs, common linker.Hash, since time.Time, wait time.Duration) *Verdict {
	v := &Verdict{Inputs: inputs, Common: common, From: since, Read: true}
	v.Step = StepSoak
	return v.Waits(since, wait)
}

// LateAgain is how long that isn't tried, when the app may have died of it before.
func (v *Verdict) LateAgain(inputs, common linker.Hash) time.Duration {
	if v.IsLike(inputs, common) {
		return v.LongerWait(longestLateWait)
	}
	return firstLateWait
}

// Undelivered is what has changed since something was refused that still stands, and since when: a
// generation is all keys, of which these differ. Where none of the keys is different any more that
// were refused first, something else is refused.
func (v *Verdict) Undelivered(keys map[string]status.Sum, now time.Time) map[string]status.Time {
	held, stands := map[string]status.Time{}, false
	if v == nil {
		return held
	}
	for key := range keys {
		since, isHeld := v.HeldUp[key]
		_, wasThere := v.Keys[key]
		switch {
		case isHeld:
			held[key] = since
		case wasThere:
			stands = true
		default:
			held[key] = status.At(now)
		}
	}
	if !stands {
		clear(held)
	}
	return held
}

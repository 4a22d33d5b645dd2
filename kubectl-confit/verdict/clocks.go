package verdict

import (
	"time"

	"confit/status"
)

// Times here are of four clocks: the kubelet's (when a container was started), confit's (all times of a status: the
// node's too, unless a virtual machine has one of its own, or somebody sets it), the API server's (of a rollout's
// record), and the reader's. Each may be wrong by an hour. This is every comparison of two of them, and what a wrong
// one does; none hides a rejection, and none makes a good verdict. Other comparisons are of one clock: pauses and
// timeouts here and in packages sync, follow and cluster are the reader's own, and a rollout's record has times of the
// API server alone.
//
//	isOfFormer   confit's with the kubelet's     an acceptance may count only once the app has lived with it for
//	                                             --soak. A former run's status needs no clock: its phase is done, its
//	                                             proof is "stored", or what it says still holds
//	isMeant      confit's with the API server's  only where hashes don't tell: the reason of a rejection, and not the
//	                                             rejection, may be missing
//	untilSoaked  confit's with the reader's      a container is asked earlier or later, within bounds
//	scriptLeft   confit's with the reader's      a wait becomes longer by five minutes at most
//	age (cli)    confit's with the reader's      the column SINCE is wrong

// parsed is a time that a pod wrote; ok says whether it is one.
func parsed(t status.Time) (at time.Time, ok bool) {
	at, err := time.Parse(time.RFC3339, string(t))
	return at, err == nil
}

// moment is a time that a pod wrote, if it is one.
func moment(t status.Time) status.Time {
	if _, ok := parsed(t); !ok {
		return ""
	}
	return t
}

// storedProof is what a confit says of what a former one has accepted.
const storedProof = "stored"

// isOfFormer reports that what is accepted was accepted before the container was started last: the app may have died of
// it since.
func isOfFormer(a *status.Accepted, started status.Time) bool {
	since, known := parsed(a.Since)
	begin, runs := parsed(started)
	return a.Proof == storedProof || known && runs && since.Before(begin)
}

// skew is by how much the clocks of a node and of the API server may differ.
const skew = time.Minute

// isMeant reports that a container's last rejection is the one that a record has at a step, of a hash, since told; the
// zero time isn't known. The record names a configuration by what all replicas share of it, and so does a status what
// is mounted. If that isn't what was rejected, the last rejection before is meant, as one is told at once.
func isMeant(s *status.Status, hash, step string, told time.Time) bool {
	r := s.Rejection
	if r == nil || r.Step != step {
		return false
	}
	if m := s.Mounted; m != nil && m.Hash == r.Hash && m.Shared != "" && hash != "" {
		return m.Shared == hash
	}
	at, known := parsed(r.At)
	return !known || told.IsZero() || !at.After(told.Add(skew))
}

// untilSoaked is when to ask a container again that is to live with something until a time.
func untilSoaked(t status.Time, now time.Time) time.Duration {
	if soaks, known := parsed(t); known {
		return min(max(soaks.Sub(now), firstPause), restPause)
	}
	return restPause
}

// scriptLeft is how long an edit waits for a script, behind a time until which another is waited for.
func scriptLeft(script, now, longest time.Time) time.Duration {
	return script.Sub(later(now, longest))
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

package rollout

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// StepAbort is the step of a hash that a person has stopped, and no pod.
const StepAbort = "abort"

// Pause is the record in which nobody gets a hold. Replicas in flight go on,
// and those that start on a stable hash do. The date is as for [Record.Report].
func (r Record) Pause(date int64) Record {
	next := r.clone()
	if !next.Paused {
		next.Paused, next.PausedAt = true, date
	}
	return next
}

// Resume ends a pause, and those that verdicts have made.
func (r Record) Resume() Record {
	next := r.clone()
	next.Paused, next.PausedAt = false, 0
	for _, v := range next.Revisions {
		v.resume()
	}
	return next
}

func (v *Revision) resume() {
	for i := range v.Late {
		v.Late[i].Open = false
	}
}

// Retry forgets, in all revisions, that a hash was rejected, and that canaries
// of it were lost. It needs canaries anew. The hash may be given by its first
// digits.
func (r Record) Retry(prefix string) (Record, error) {
	if prefix == "" {
		return r, errors.New("cannot retry: no hash is given")
	}
	hash, err := r.complete("retry", prefix, "was rejected or lost a canary", (*Revision).retryable)
	if err != nil {
		return r, err
	}
	next := r.clone()
	for _, v := range next.Revisions {
		v.Rejected = slices.DeleteFunc(v.Rejected, func(j Rejection) bool { return j.Hash == hash })
		v.Late = slices.DeleteFunc(v.Late, func(l Late) bool { return l.Hash == hash })
		if v.Trial != nil && v.Trial.Hash == hash {
			v.Trial.Accepted, v.Trial.Losses, v.Trial.Lost, v.Trial.LostAt = 0, 0, 0, 0
		}
	}
	return next, nil
}

// Promote lets the hash that is tried go to all replicas at once, and makes it stable.
// It ends each pause. The hash may be given by its first digits, or left out if only
// one is tried.
func (r Record) Promote(prefix string, date int64) (Record, error) {
	hash, err := r.complete("promote", prefix, "is tried", (*Revision).tried)
	if err != nil {
		return r, err
	}
	next := r.Resume()
	for _, v := range next.Revisions {
		if slices.Contains(v.tried(), hash) {
			v.Trial.Free = true
			v.makeStable(hash, date)
			next.prove(v.known(hash))
		}
	}
	next.settle(date)
	return next, nil
}

// Abort rejects the hash that is tried: nobody else begins, and what was stable before
// is stable again. Who has it keeps it until the configuration is changed. The hash
// may be given as for [Record.Promote]. [Record.Retry] takes that back.
func (r Record) Abort(prefix string, date int64) (Record, error) {
	hash, err := r.complete("abort", prefix, "is tried", (*Revision).tried)
	if err != nil {
		return r, err
	}
	next := r.clone()
	for _, v := range next.Revisions {
		if slices.Contains(v.tried(), hash) {
			v.reject(Rejection{Hash: hash, Step: StepAbort, Pod: "a person", At: date})
		}
	}
	next.settle(date)
	return next, nil
}

// complete finds the one hash, of some of each revision, that begins so.
func (r Record) complete(verb, prefix, what string, of func(*Revision) []string) (string, error) {
	var found []string
	for _, v := range r.Revisions {
		for _, hash := range of(v) {
			if strings.HasPrefix(hash, prefix) && !slices.Contains(found, hash) {
				found = append(found, hash)
			}
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case prefix == "" && len(found) == 0:
		return "", fmt.Errorf("cannot %s: no hash %s", verb, what)
	case prefix == "":
		return "", fmt.Errorf("cannot %s: each of %d hashes %s; give the first digits of one", verb, len(found), what)
	case len(found) > 1:
		return "", fmt.Errorf("cannot %s %q: %d hashes begin so; give more digits", verb, prefix, len(found))
	}
	return "", fmt.Errorf("cannot %s %q: no such hash %s", verb, prefix, what)
}

// retryable are the hashes that were rejected or lost canaries.
func (v *Revision) retryable() []string {
	var hashes []string
	for _, j := range v.Rejected {
		hashes = append(hashes, j.Hash)
	}
	if v.Trial != nil && v.Trial.Losses > 0 {
		hashes = append(hashes, v.Trial.Hash)
	}
	return hashes
}

// tried is the hash that a trial is about, unless it was rejected or undone.
func (v *Revision) tried() []string {
	if v.Trial == nil || v.Trial.Undone || v.Rejection(v.Trial.Hash) != nil {
		return nil
	}
	return []string{v.Trial.Hash}
}

package rollout

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Pause is the record in which nobody gets a hold. Replicas in flight go on,
// and those that start on a stable hash do.
func (r Record) Pause() Record {
	next := r.clone()
	next.Paused = true
	return next
}

// Resume ends a pause.
func (r Record) Resume() Record {
	next := r.clone()
	next.Paused = false
	return next
}

// Retry forgets, in all revisions, that a hash was rejected, and that canaries
// of it were lost. It needs canaries anew. The hash may be given by its first
// digits.
func (r Record) Retry(prefix string) (Record, error) {
	hash, err := r.complete(prefix)
	if err != nil {
		return r, err
	}
	next := r.clone()
	for _, v := range next.Revisions {
		v.Rejected = slices.DeleteFunc(v.Rejected, func(j Rejection) bool { return j.Hash == hash })
		if v.Trial != nil && v.Trial.Hash == hash {
			v.Trial.Accepted, v.Trial.Losses, v.Trial.Lost = 0, 0, 0
		}
	}
	return next, nil
}

// complete finds the one hash, of those rejected or tried, that begins so.
func (r Record) complete(prefix string) (string, error) {
	var found []string
	for _, v := range r.Revisions {
		for _, hash := range v.retryable() {
			if strings.HasPrefix(hash, prefix) && !slices.Contains(found, hash) {
				found = append(found, hash)
			}
		}
	}
	switch {
	case prefix == "":
		return "", errors.New("cannot retry: no hash is given")
	case len(found) == 0:
		return "", fmt.Errorf("cannot retry %q: no such hash was rejected or lost a canary", prefix)
	case len(found) > 1:
		return "", fmt.Errorf("cannot retry %q: %d hashes begin so; give more digits", prefix, len(found))
	}
	return found[0], nil
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

package rollout

import (
	"fmt"
	"strings"
)

// Progress is how far a rollout has come, for somebody who waits for its end.
type Progress struct {
	Rejected string // who has rejected what, and where; "": nobody
	Waits    string // what is still to come; "": nothing, as far as the record shows
	Unknown  bool   // nobody has tried it
}

// Event is what has become of a hash in a revision.
type Event struct {
	Revision, Hash string
	Rejected       string // who has rejected it, and where; "": it is tried, or stable
	At             int64  // since when, by the clock of whoever stores the record; 0: not known
}

// Events are those that the record knows of.
func (r Record) Events() (list []Event) {
	for _, v := range r.Revisions {
		if v.Trial != nil && !v.Trial.isOver() {
			list = append(list, Event{v.Name, v.Trial.Hash, "", v.Trial.Since})
		}
		if v.Stable != "" {
			stable := Event{Revision: v.Name, Hash: v.Stable}
			if p := v.proof(v.Stable); p != nil {
				stable.At = p.At
			}
			list = append(list, stable)
		}
		for i := range v.Rejected {
			list = append(list, Event{v.Name, v.Rejected[i].Hash, refuse(&v.Rejected[i]).Reason, v.Rejected[i].At})
		}
	}
	return list
}

// Progress looks at a hash in all revisions, given by its first digits, or, without one,
// at what each revision tries. How many replicas there are isn't known: so nothing is
// to come, too, between two of its steps.
func (r Record) Progress(prefix string) Progress {
	p := Progress{Unknown: prefix != ""}
	for _, v := range r.Revisions {
		for _, hash := range v.subjects(prefix) {
			p.Unknown = false
			if j := v.Rejection(hash); j != nil {
				p.Rejected = refuse(j).Reason
			} else if waits := v.outstanding(hash, r.Paused); waits != "" {
				p.Waits = waits
			}
		}
	}
	if p.Unknown {
		p.Waits = fmt.Sprintf("nobody has tried %s yet", prefix)
	}
	return p
}

// subjects are the hashes of a revision that begin so, or the one that it tries.
func (v *Revision) subjects(prefix string) (hashes []string) {
	all := []string{v.Stable, v.Previous}
	if prefix == "" {
		all = nil
	}
	if v.Trial != nil && !v.Trial.isOver() {
		all = append(all, v.Trial.Hash)
	}
	if prefix != "" {
		for _, j := range v.Rejected {
			all = append(all, j.Hash)
		}
	}
	for _, hash := range all {
		if hash != "" && strings.HasPrefix(hash, prefix) {
			hashes = append(hashes, hash)
		}
	}
	return hashes
}

// outstanding is what has to happen before a hash is stable and nobody is in flight.
func (v *Revision) outstanding(hash string, paused bool) string {
	t := v.Trial
	if t == nil || t.Hash != hash {
		return ""
	}
	switch n := len(t.Holds); {
	case v.halted(hash) != "":
		return v.halted(hash)
	case paused:
		return "the rollout is paused"
	case v.untried(hash):
		return fmt.Sprintf("%d of %d canaries have accepted %s", t.Accepted, t.Canaries, Short(hash))
	case n > 0:
		return fmt.Sprintf("%d have accepted %s, and some are in flight", t.Accepted, Short(hash))
	}
	return ""
}

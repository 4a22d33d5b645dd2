package rollout

import (
	"fmt"
	"slices"
	"time"
)

// View is a record for people: which hash is where, which pods try it, since when, and
// what each waits for. As JSON it is stable: fields are added, and none changes its
// meaning. A time that isn't known is left out.
type View struct {
	Paused    bool           `json:"paused"`
	PausedAt  *time.Time     `json:"pausedAt,omitempty"`
	Snapshot  string         `json:"snapshot,omitempty"` // hash that new pods start on
	Revisions []RevisionView `json:"revisions"`          // the last used first
}

// RevisionView is the rollout among the replicas of one image and pod template.
type RevisionView struct {
	Name   string     `json:"name"`
	Seen   *time.Time `json:"seen,omitempty"` // when a replica of it looked last, give or take an hour
	Hashes []HashView `json:"hashes"`         // what is tried first
}

// State is how far a hash has come in a revision.
type State string

// The states of a hash.
const (
	StateCanary   State = "canary"   // canaries try it
	StateStable   State = "stable"   // the canaries have accepted it
	StatePrevious State = "previous" // it was stable before
	StateRejected State = "rejected" // nobody goes on with it
)

// HashView is one configuration.
type HashView struct {
	Hash     string     `json:"hash"`
	State    State      `json:"state"`
	Proved   bool       `json:"proved"`          // the fleet has lived on it: all go back to it at once
	Since    *time.Time `json:"since,omitempty"` // when its trial began, or it became stable or was rejected
	Tried    bool       `json:"tried"`           // it is the one that replicas get places for; the next three are 0 else
	Canaries int        `json:"canaries,omitempty"`
	Accepted int        `json:"accepted,omitempty"` // how many have, in this trial
	Losses   int        `json:"losses,omitempty"`   // canaries lost in a row
	Pods     []PodView  `json:"pods"`               // that are in flight, or have said something against it
	Waits    string     `json:"waits,omitempty"`    // why nobody else begins, as far as that doesn't depend on who asks
}

// PodState is what a pod does, or has said.
type PodState string

// The states of a pod.
const (
	PodTrying   PodState = "trying"   // it has a place
	PodRelapsed PodState = "relapsed" // its app has ended once with what it had accepted
	PodFailed   PodState = "failed"   // it has rejected the hash, and that isn't enough
	PodRejected PodState = "rejected" // its verdict was the last that was needed
)

// PodView is one pod.
type PodView struct {
	Name  string     `json:"name,omitempty"`
	UID   string     `json:"uid,omitempty"`
	State PodState   `json:"state"`
	Step  string     `json:"step,omitempty"`
	Since *time.Time `json:"since,omitempty"`
	Until *time.Time `json:"until,omitempty"` // nobody waits for it any longer
	Waits string     `json:"waits,omitempty"` // what is waited for
}

// Is reports that it is this pod. A long name is cut in the record, so without a UID
// several may be.
func (p PodView) Is(uid, name string) bool {
	if p.UID != "" {
		return p.UID == uid
	}
	return p.Name == cut(name)
}

// View describes a record.
func (r Record) View() View {
	view := View{Paused: r.Paused, PausedAt: moment(r.PausedAt), Snapshot: r.Snapshot, Revisions: []RevisionView{}}
	for _, v := range slices.Backward(r.Revisions) {
		view.Revisions = append(view.Revisions, v.view(r.Paused))
	}
	return view
}

// view has each hash once, the one that is tried first.
func (v *Revision) view(paused bool) RevisionView {
	view := RevisionView{Name: v.Name, Seen: moment(v.Seen), Hashes: []HashView{}}
	var hashes []string
	if v.Trial != nil {
		hashes = append(hashes, v.Trial.Hash)
	}
	hashes = append(hashes, v.Stable, v.Previous)
	for _, j := range v.Rejected {
		hashes = append(hashes, j.Hash)
	}
	for i, hash := range hashes {
		if hash != "" && slices.Index(hashes, hash) == i {
			view.Hashes = append(view.Hashes, v.hashView(hash, paused))
		}
	}
	return view
}

func (v *Revision) hashView(hash string, paused bool) HashView {
	view := HashView{Hash: hash, State: StateCanary, Pods: []PodView{}}
	if p := v.proof(hash); p != nil {
		view.Proved, view.Since = p.Proved, moment(p.At)
	}
	if t := v.Trial; t != nil && t.Hash == hash {
		view.Tried, view.Canaries, view.Accepted, view.Losses = true, t.Canaries, t.Accepted, t.Losses
		view.Since = moment(t.Since)
		for _, h := range t.Holds {
			view.Pods = append(view.Pods, PodView{Name: h.Name, UID: h.Pod, State: PodTrying, Since: moment(h.At), Until: until(h.At, h.Bound), Waits: "its report"})
		}
	}
	for _, l := range v.Late {
		if l.Hash == hash {
			view.Pods = append(view.Pods, l.view())
		}
	}
	switch j := v.Rejection(hash); {
	case j != nil:
		view.State, view.Since = StateRejected, moment(j.At)
		view.Pods = append(view.Pods, PodView{Name: j.Pod, State: PodRejected, Step: j.Step, Since: moment(j.At)})
	case hash == v.Stable:
		view.State = StateStable
	case hash == v.Previous:
		view.State = StatePrevious
	}
	view.Waits = v.waits(view, paused)
	return view
}

// waits is why nobody else begins with a hash, whoever asks.
func (v *Revision) waits(view HashView, paused bool) string {
	t := v.Trial
	switch {
	case view.State == StateRejected || !view.Tried:
		return ""
	case v.halted(view.Hash) != "":
		return v.halted(view.Hash)
	case paused:
		return "the rollout is paused"
	case view.State == StateCanary && len(t.Holds) > 0:
		return "a canary is on its way"
	case view.State == StateCanary && t.Losses > 0:
		return fmt.Sprintf("a canary was lost; the next waits for %s", t.delay())
	}
	return ""
}

func (l Late) view() PodView {
	view := PodView{Name: l.Name, UID: l.Pod, State: PodRelapsed, Step: l.Step, Since: moment(l.At)}
	switch {
	case l.Open && l.Failed:
		view.Until, view.Waits = until(l.At, l.Bound), "whether others reject it, too"
	case l.Open:
		view.Until, view.Waits = until(l.At, l.Bound), "what it says next"
	}
	if l.Failed {
		view.State = PodFailed
	}
	return view
}

// until is when nobody waits any longer.
func until(at int64, bound int) *time.Time {
	if at <= 0 || at > lastMoment {
		return nil
	}
	return moment(at + int64(seconds(lapse(bound))))
}

// lastMoment is the last second that JSON has a text for.
const lastMoment = 253402300799

func moment(at int64) *time.Time {
	if at <= 0 || at > lastMoment {
		return nil
	}
	t := time.Unix(at, 0).UTC()
	return &t
}

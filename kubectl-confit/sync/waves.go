// Package sync decides which pods are asked to look at their volumes now, and when: the kubelet of a pod that changes brings
// the pod's volumes up to date at once, and not at its next look in a minute.
//
// It guarantees that nobody is asked after one pod has rejected the new keys or while one that was restarted has not accepted them again,
// that before one has accepted them a single pod is asked, and that then no more than a quarter of the pods waits for a verdict at a time. Pods with a gate are asked at
// once, as the gate holds them; and so are all when that is wanted. It is a machine over what others observe, and does
// nothing itself: it knows no clock, no API and no output.
package sync

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// State is what a pod makes of the new keys.
type State int

// From the first to the last in a life that goes well; Rejected and Unknown are beside that.
const (
	Coming   State = iota // its container starts, or has not said anything yet: it is asked when more is known
	Missing               // its volume doesn't have them yet
	OnItsWay              // they are there, and there is no verdict yet
	Gated                 // its gate decides when it takes them up
	Soaking               // it has accepted them, but its app has to live with them for a while
	Accepted              //
	Rejected              // and nothing but another edit changes that
	Unknown               // nobody can tell
)

// Pod is what is known of a pod.
type Pod struct {
	Name  string
	UID   string // another one under the same name is another pod
	Group string // the same for pods of one template: if one has a gate, all have; "": it has no template
	State State
	Gate  bool // what its spec says
	Again bool // its container was restarted since the waves began
}

// Waves is the machine. Its zero value goes wave by wave.
type Waves struct {
	AtOnce bool // ask all pods at once

	asked    map[string]*asked // by UID
	gates    map[string]bool   // by group
	proved   bool              // a pod has accepted the keys
	rejected bool
}

// asked is a pod that was asked, or needs not be.
type asked struct {
	times int
	since time.Time
	next  time.Time
	late  bool // that was said
}

// Decision is what is to be done now.
type Decision struct {
	Ask  []Pod         // in the order of their names; some of them again
	Wave []Pod         // those that are asked for the first time
	Why  Reason        // of the wave
	Late []Pod         // still without the keys after [Patience]; each is here once
	Next time.Duration // after which there is something to do even if nothing changes; 0: there is nothing
}

// Reason is why just these pods are asked together.
type Reason int

// The reasons. A wave is of one of them.
const (
	First    Reason = iota // one pod, whose verdict decides about the others
	Quarter                // at most a quarter of the pods
	Gates                  // a gate holds each of them
	Together               // it is wanted so
)

// A pod without the keys is asked again after a second, two, four … as its kubelet may not have had the new object yet.
const (
	again     = time.Second
	againMost = 16 * time.Second
)

// Patience is how long a pod may be without the keys until that is said: the node, not the edit, is the reason then.
const Patience = 15 * time.Second

// Step takes all pods that run now and says what to do.
func (w *Waves) Step(now time.Time, pods []Pod) Decision {
	pods = slices.Clone(pods)
	slices.SortFunc(pods, func(a, b Pod) int { return strings.Compare(a.Name, b.Name) })
	w.note(pods)
	if w.rejected {
		return Decision{}
	}
	var d Decision
	d.Wave, d.Why = w.wave(pods)
	for _, p := range d.Wave {
		w.asked[p.UID] = &asked{since: now, next: now}
	}
	for _, p := range pods {
		w.ask(now, p, &d)
	}
	return d
}

// note remembers what the pods show.
func (w *Waves) note(pods []Pod) {
	if w.asked == nil {
		w.asked, w.gates = map[string]*asked{}, map[string]bool{}
	}
	for _, p := range pods {
		w.rejected = w.rejected || p.State == Rejected
		w.proved = w.proved || p.State == Accepted
		if p.Gate || p.State == Gated {
			w.gates[p.group()] = true
		}
	}
}

// wave is who is asked for the first time now.
func (w *Waves) wave(pods []Pod) ([]Pod, Reason) {
	fresh := keep(pods, func(p Pod) bool {
		return w.asked[p.UID] == nil && p.State != Accepted && p.State != Coming && p.State != Soaking
	})
	if w.AtOnce {
		return fresh, Together
	}
	if gated := keep(fresh, func(p Pod) bool { return w.gates[p.group()] }); len(gated) > 0 {
		return gated, Gates
	}
	free := keep(pods, func(p Pod) bool { return !w.gates[p.group()] })
	waiting := keep(free, func(p Pod) bool {
		return (w.asked[p.UID] != nil || p.Again) && p.State != Accepted && (p.State != Soaking || !w.proved)
	})
	if len(waiting) > 0 {
		return nil, Quarter
	}
	slices.SortStableFunc(fresh, func(a, b Pod) int { return turn(a) - turn(b) })
	if !w.proved {
		return fresh[:min(1, len(fresh))], First
	}
	return fresh[:min(quarter(len(free)), len(fresh))], Quarter
}

// turn is whose turn it is: first those to which their kubelets have brought the keys by themselves, and last those that
// nobody can tell of, as they hold up all that come behind them.
func turn(p Pod) int {
	switch p.State {
	case OnItsWay:
		return 0
	case Unknown:
		return 2
	}
	return 1
}

// quarter is how many of n pods go together, so that one and four quarters of the others are all.
func quarter(n int) int { return max(1, (n-1+3)/4) }

// ask says whether a pod is asked now, and when it is to be asked again.
func (w *Waves) ask(now time.Time, p Pod, d *Decision) {
	a := w.asked[p.UID]
	if a == nil || (p.State != Missing && (p.State != Unknown || a.times > 0)) {
		return
	}
	if !now.Before(a.next) {
		d.Ask = append(d.Ask, p)
		a.next = now.Add(min(again<<a.times, againMost))
		a.times = min(a.times+1, 10)
	}
	if p.State == Unknown {
		return
	}
	if !a.late && now.Sub(a.since) >= Patience {
		a.late = true
		d.Late = append(d.Late, p)
	}
	if wait := a.next.Sub(now); d.Next == 0 || wait < d.Next {
		d.Next = wait
	}
}

// Spared are the pods that weren't asked, and to which nobody is known to have brought the keys.
func (w *Waves) Spared(pods []Pod) []Pod {
	return keep(pods, func(p Pod) bool { return w.asked[p.UID] == nil && (p.State == Missing || p.State == Unknown) })
}

func (p Pod) group() string { return cmp.Or(p.Group, "pod "+p.UID) }

func keep(pods []Pod, want func(Pod) bool) (list []Pod) {
	for _, p := range pods {
		if want(p) {
			list = append(list, p)
		}
	}
	return list
}

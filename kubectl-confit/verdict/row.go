package verdict

import (
	"time"

	"confit/kubectl-confit/pods"
	"confit/status"
)

// State is what became of a configuration in one container, in a word.
type State string

// The states, from the best to the worst.
const (
	Accepted   State = "accepted"   // the app has it, and is well with it
	Live       State = "live"       // the app has it, but is still being watched
	Gated      State = "gated"      // it is valid, and the gate says when
	OnItsWay   State = "on its way" // it is mounted, and confit works on it
	Behind     State = "behind"     // the kubelet has not brought it yet
	Starting   State = "starting"   // the container doesn't run (yet)
	Ended      State = "ended"      // the pod has ended, or is being deleted: it won't take anything
	Unfollowed State = "unfollowed" // confit takes no key of it
	Asked      State = "asked"      // there is no answer yet
	Unknown    State = "unknown"    // nobody can say, and Why has the reason
	Stuck      State = "stuck"      // confit applies no change: the system refuses, a volume hangs, or it broke down
	Rejected   State = "rejected"   // confit has refused just this
)

// Key is one key of a volume, as the API has it or confit took it.
type Key struct {
	Object string `json:"object"` // configmap/web; "" if the API has it no more
	Volume string `json:"volume"` // where the volume is mounted
	Path   string `json:"path"`   // of the key in the volume
	State  State  `json:"state"`  // Accepted, Live, Gated, OnItsWay, Behind or Rejected
	Gone   bool   `json:"gone"`   // the API has it no more
}

// Row is what there is to say of one container. Its texts are tame, whatever a pod has printed.
type Row struct {
	Pod       string      `json:"pod"`
	UID       string      `json:"uid"` // of the pod: another one may get its name
	Node      string      `json:"node"`
	Container string      `json:"container"`
	State     State       `json:"state"`
	Since     status.Time `json:"since"` // null: not known
	Why       string      `json:"why"`   // one line; "": there is nothing to explain
	Step      string      `json:"step"`  // that rejected it, as in confit's status; "start": the container ended with 78
	Attempts  int         `json:"attempts"`
	Output    string      `json:"output"` // the last that the hook printed
	Keys      []Key       `json:"keys"`   // each that the container's lines take
	Hash      string      `json:"hash"`   // CONFIT_HASH of what is mounted, by which a rollout knows it; "": not known
	Soaked    bool        `json:"soaked"` // the app has lived for --soak with what confit has accepted
	SoaksAt   status.Time `json:"soaksAt"`
	Final     bool        `json:"-"` // Rejected, and confit won't think better of it: see [Wait]
	Restarted bool        `json:"-"` // its container was: since the [Wait] began, or since it accepted what it has
	Waits     bool        `json:"-"` // for the app's entrypoint: nothing else happens to it before, and Why has the reason
	bad       bool        // its state may be one that passes, and its exit code is [Bad]
	last      bool        // its container isn't started again
	script    time.Time   // until when the edit waits for a script that executes nothing; zero: it doesn't
	entry     string      // a clause about an app that hasn't begun; "": it has
}

// Answer is what a container says of itself, or why it says nothing.
type Answer struct {
	Status *status.Status // nil: there is none
	Err    error          // why
	Denied bool           // because a right is missing
}

// Objects are what the API has: nil is an object that it doesn't have, and one that isn't in the map nobody could read.
type Objects map[pods.Object]*pods.Data

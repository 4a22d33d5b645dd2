package scripted

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"confit/kubectl-confit/pods"
	"confit/status"
)

// Replicas are containers in which a confit says what it has, for a [Server]'s script. The zero value has none.
type Replicas struct {
	lock sync.Mutex
	all  map[string]*Replica // POD/CONTAINER
}

// Replica is the confit of one container. Its volumes are filled and decided about by the test.
type Replica struct {
	lock    sync.Mutex
	status  status.Status
	mounted map[string]string // path in a generation → SHA-256
	asked   int
	say     func(e Exec) int // instead of the status; nil: the status
}

// Volume is a volume as a status has it, whose prefix is what confit gives it.
func Volume(dir string, patterns ...string) status.Volume {
	prefix := strings.TrimPrefix(strings.TrimPrefix(dir, "/confit"), "/")
	return status.Volume{Path: dir, Kind: "atomic", Watched: "inotify", Mounted: "..data", Prefix: prefix, Patterns: patterns}
}

// Add makes a replica whose app has been started on nothing so far.
func (rs *Replicas) Add(pod, container string, volumes ...status.Volume) *Replica {
	r := &Replica{mounted: map[string]string{}}
	r.status = status.Status{Version: status.Version, Confit: "1.2.3", Phase: "running", Volumes: volumes, Keys: map[string]string{}}
	r.touch()
	rs.lock.Lock()
	defer rs.lock.Unlock()
	if rs.all == nil {
		rs.all = map[string]*Replica{}
	}
	rs.all[pod+"/"+container] = r
	return r
}

// Of is the replica of a container.
func (rs *Replicas) Of(pod, container string) *Replica {
	rs.lock.Lock()
	defer rs.lock.Unlock()
	return rs.all[pod+"/"+container]
}

// Script answers confit --status=json.
func (rs *Replicas) Script(_ context.Context, e Exec) int {
	r := rs.Of(e.Pod, e.Container)
	if r == nil || !slices.Contains(e.Words, "--status=json") {
		fmt.Fprintf(e.Stderr, "exec: %q: executable file not found in $PATH\n", e.Words[0])
		return 127
	}
	r.lock.Lock()
	defer r.lock.Unlock()
	r.asked++
	if r.say != nil {
		return r.say(e)
	}
	_, _ = e.Stdout.Write(r.status.Encode()) // the caller may have gone
	return r.status.Verdict()
}

// Asked is how often it was asked.
func (r *Replica) Asked() int {
	r.lock.Lock()
	defer r.lock.Unlock()
	return r.asked
}

// Says lets it say something else than a status; nil: a status again.
func (r *Replica) Says(say func(e Exec) int) { r.change(func() { r.say = say }) }

// Change changes the status by hand.
func (r *Replica) Change(change func(s *status.Status)) { r.change(func() { change(&r.status) }) }

func (r *Replica) change(do func()) {
	r.lock.Lock()
	defer r.lock.Unlock()
	do()
	r.touch()
}

func (r *Replica) touch() { r.status.Updated = status.At(time.Now()) }

// Bring does what a kubelet does with a volume: from now on it holds these files. confit sees it, and begins a change.
func (r *Replica) Bring(dir string, files map[string]string) {
	r.change(func() {
		v := &r.status.Volumes[slices.IndexFunc(r.status.Volumes, func(v status.Volume) bool { return v.Path == dir })]
		maps.DeleteFunc(r.mounted, func(full, _ string) bool { return v.Prefix == "" || strings.HasPrefix(full, v.Prefix+"/") })
		for key, text := range files {
			if takes(v.Patterns, key) {
				r.mounted[path.Join(v.Prefix, key)] = string(pods.Sum([]byte(text)))
			}
		}
		r.look()
		r.status.PendingSince, r.status.Phase = status.At(time.Now()), "validating"
	})
}

func takes(patterns []string, key string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		dir, tree := strings.CutSuffix(p, "/")
		matches, _ := path.Match(p, key)
		return matches || tree && (dir == "." || strings.HasPrefix(key, dir+"/"))
	})
}

// look writes down what is mounted, and in what it differs from what is accepted.
func (r *Replica) look() {
	differs := map[string]status.Sum{}
	for full, sum := range r.mounted {
		if r.status.Keys[full] != sum {
			differs[full] = status.Sum(sum)
		}
	}
	for full := range r.status.Keys {
		if r.mounted[full] == "" {
			differs[full] = ""
		}
	}
	r.status.Mounted = &status.Mounted{Hash: r.hash(), Since: status.At(time.Now()), Keys: differs}
}

func (r *Replica) hash() string { return string(pods.Sum(fmt.Append(nil, r.mounted))) }

// Publish makes what is mounted live, and waits for the proof.
func (r *Replica) Publish() {
	r.change(func() {
		r.status.Live = &status.Generation{Number: 2, Hash: r.hash(), Source: "mounted", Since: status.At(time.Now())}
		r.status.Phase, r.status.PendingSince = "proving", ""
	})
}

// Enter has the app at its entrypoint since a time, for so long at most, and confit wait for that: an edit, in the phase waiting, or the proof
// of what is live, in the phase beginning.
func (r *Replica) Enter(phase, program string, since time.Time, long time.Duration) {
	r.change(func() {
		r.status.Phase = phase
		r.status.App.Entrypoint = &status.Entrypoint{Program: program, Since: status.At(since), Until: status.At(since.Add(long))}
	})
}

// Begin ends that.
func (r *Replica) Begin() { r.change(func() { r.status.App.Entrypoint = nil }) }

// Accept accepts what is mounted.
func (r *Replica) Accept() {
	r.Publish()
	r.change(func() {
		r.status.Keys = maps.Clone(r.mounted)
		r.status.Accepted = &status.Accepted{Generation: *r.status.Live, Proof: "probation"}
		r.look()
		r.status.Phase = "running"
	})
}

// Soak says that the app has lived with what is accepted, or, of a moment in the future, when it will have.
func (r *Replica) Soak(at time.Time) {
	r.change(func() {
		a := *r.status.Accepted
		if a.Soaked, a.SoaksAt = !at.After(time.Now()), ""; !a.Soaked {
			a.SoaksAt = status.At(at)
		}
		r.status.Accepted = &a
	})
}

// Reject rejects what is mounted for the nth time. The app keeps what it had.
func (r *Replica) Reject(step, reason, output string, attempts int) {
	r.change(func() {
		r.status.Rejection = &status.Rejection{At: status.At(time.Now()), Hash: r.hash(), Step: step, Reason: reason, Output: output,
			Attempts: attempts, NextTry: status.At(time.Now().Add(10 * time.Second)), Keys: r.status.Mounted.Keys}
		r.status.PendingSince, r.status.Phase = "", "running"
		if a := r.status.Accepted; a != nil {
			r.status.Live = &a.Generation
		}
	})
}

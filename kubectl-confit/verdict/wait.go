package verdict

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	"confit/kubectl-confit/pods"
)

// How often a container is asked: soon, and then less and less often, as long as its state stays.
const (
	firstPause = time.Second
	lastPause  = 10 * time.Second
	restPause  = 30 * time.Second // who is done
	atOnce     = 16
)

// Wait decides when a wait is over, and whom to ask next. What happens is told to it, in any order; it is for one goroutine.
type Wait struct {
	pinned, all Objects // what is waited for, and that with what shares volumes with it
	only        []pods.Object
	soak        bool      // to have accepted it isn't enough: the app has to live with it for confit's --soak
	endless     bool      // it never ends, and what is edited is what counts
	since       time.Time // when all were done: who has not been asked since then is asked once more; zero: they aren't
	synced      bool
	pods        map[types.UID]*podState
	result      *Result

	longest time.Time     // until when some edit waits for a script
	longer  time.Duration // what came of that so far
}

// podState is what is known of a pod.
type podState struct {
	name       string
	running    bool
	containers []*container
	use        pods.Use // the strongest of what is waited for
}

// Question is one container to be asked, of a certain run of it.
type Question struct {
	UID       types.UID // of the pod
	Pod       string
	Container pods.Container
	Run       string // the container's id: another run is asked anew
}

// Result is how a wait ended.
type Result struct {
	Code int    // Well, Wrong or Bad
	Why  string // one line
}

// NewWait waits until every running pod that is told has accepted the objects as pinned; with soak, until the apps have lived with
// them, too. An endless one never has a result.
func NewWait(pinned Objects, soak, endless bool) *Wait {
	w := &Wait{pinned: maps.Clone(pinned), all: maps.Clone(pinned), soak: soak, endless: endless, pods: map[types.UID]*podState{}}
	w.only = slices.SortedFunc(maps.Keys(pinned), func(a, b pods.Object) int { return cmp.Compare(a.String(), b.String()) })
	return w
}

// Others tells objects that share volumes with what is waited for, as far as they could be read.
func (w *Wait) Others(others Objects) {
	for o, d := range others {
		if _, pinned := w.pinned[o]; !pinned {
			w.all[o] = d
		}
	}
}

// Synced tells that all pods that were there have been told.
func (w *Wait) Synced() { w.synced = true }

// SeePod tells a pod as it is now, and returns the containers of which something changed.
func (w *Wait) SeePod(now time.Time, pod *corev1.Pod) (changed []Row) {
	p, known := w.pods[pod.UID]
	if !known {
		p = &podState{name: pod.Name, use: useOf(pod, w.only)}
		for _, spec := range pods.Containers(pod) {
			if w.concerns(&spec) {
				p.containers = append(p.containers, newContainer(spec, pod))
			}
		}
		w.pods[pod.UID] = p
	}
	p.running = pod.Status.Phase == corev1.PodRunning && pod.DeletionTimestamp == nil
	for _, c := range p.containers {
		if c.see(now, pod, w.synced) {
			changed = append(changed, c.row)
		}
	}
	return changed
}

// concerns reports whether a container mounts something of what is waited for so that it changes.
func (w *Wait) concerns(c *pods.Container) bool {
	return slices.ContainsFunc(c.Objects(), func(o pods.Object) bool { return slices.Contains(w.only, o) })
}

// differs reports whether there is something new to say.
func (r *Row) differs(was Row) bool {
	return r.State != was.State || r.Why != was.Why || r.Final != was.Final || r.Soaked != was.Soaked
}

// settle begins the last round when all are done, and drops it when somebody isn't any more: an answer is of the moment in which it was
// given, and the verdict is of now.
func (w *Wait) settle(now time.Time) {
	waited, done, _ := w.count()
	switch {
	case w.endless || waited == 0 || done < waited:
		w.since = time.Time{}
	case w.since.IsZero():
		w.since = now
		for c := range w.each {
			if c.told.Before(now) {
				c.due = now
			}
		}
	}
}

// isSettled reports that everybody has said again what all had said.
func (w *Wait) isSettled() bool {
	for c := range w.each {
		if c.done && c.told.Before(w.since) {
			return false
		}
	}
	return !w.since.IsZero()
}

// Gone tells that a pod isn't there any more.
func (w *Wait) Gone(uid types.UID) { delete(w.pods, uid) }

// SeeObject tells an object as the API has it now; nil when it is gone. Another content supersedes what is waited for.
func (w *Wait) SeeObject(now time.Time, o pods.Object, d *pods.Data) {
	was, pinned := w.pinned[o]
	switch {
	case !pinned, d != nil && was != nil && maps.Equal(d.Sums, was.Sums), d == nil && was == nil:
	case w.endless:
		w.pinned[o], w.all[o] = d, d
		for _, p := range w.pods {
			for _, c := range p.containers {
				c.done, c.due, c.pause = false, now, 0
			}
		}
	case d == nil:
		w.end(Wrong, "superseded: "+o.String()+" is gone")
	default:
		w.end(Wrong, fmt.Sprintf("superseded: %s was edited again (resourceVersion %s, waited for %s)", o, d.ResourceVersion, was.ResourceVersion))
	}
}

func (w *Wait) end(code int, why string) {
	if w.result == nil && !w.endless {
		w.result = &Result{code, why}
	}
}

// Questions are the containers to be asked now, at most as many as keep 16 out. Each is out until Tell has its answer.
func (w *Wait) Questions(now time.Time) (list []Question) {
	w.settle(now)
	var due []*container
	out := 0
	for c := range w.each {
		switch {
		case c.out:
			out++
		case c.run != "" && !c.due.After(now):
			due = append(due, c)
		}
	}
	slices.SortFunc(due, func(a, b *container) int { return cmp.Or(a.due.Compare(b.due), cmp.Compare(a.pod.Name, b.pod.Name)) })
	for _, c := range due[:max(0, min(len(due), atOnce-out))] {
		c.out = true
		list = append(list, Question{c.pod.UID, c.pod.Name, c.spec, c.run})
	}
	return list
}

// each walks through all containers.
func (w *Wait) each(yield func(*container) bool) {
	for _, p := range w.pods {
		for _, c := range p.containers {
			if !yield(c) {
				return
			}
		}
	}
}

// Tell takes the answer to a question, and returns the row if there is something new to say.
func (w *Wait) Tell(now time.Time, q Question, a Answer) *Row {
	p := w.pods[q.UID]
	if p == nil {
		return nil
	}
	i := slices.IndexFunc(p.containers, func(c *container) bool { return c.spec.Name == q.Container.Name })
	c := p.containers[i]
	if c.run != q.Run {
		return nil // another run is asked anew
	}
	was := c.row
	c.take(now, Judge(c.pod, &c.spec, a, w.all, w.only), w.soak)
	c.wait(now, was.State)
	w.settle(now)
	if c.row.State == Rejected && c.row.Final {
		w.end(Bad, c.row.Name()+" has rejected it: "+c.row.Why)
	}
	if a.Denied {
		w.end(Wrong, pods.Line(a.Err.Error()))
	}
	if !c.row.differs(was) {
		return nil
	}
	return &c.row
}

// Refused tells what a rollout's record says of the hashes that containers wait with at their gates: by returns who has rejected it; "":
// nobody.
func (w *Wait) Refused(by func(pod *corev1.Pod, in *pods.Container, hash string) string) {
	for c := range w.each {
		if c.row.State != Gated || c.row.Hash == "" {
			continue
		}
		if why := by(c.pod, &c.spec, c.row.Hash); why != "" {
			c.row.Refuse(why)
			w.end(Bad, c.row.Name()+" "+c.row.Why)
		}
	}
}

// Refuse notes that a container waits at its gate for what somebody has rejected.
func (r *Row) Refuse(by string) { r.Why, r.bad = "waits at its gate for what "+pods.Line(by), true }

// Next is when to ask for Questions again if nothing happens; the zero time: never.
func (w *Wait) Next() (next time.Time) {
	for c := range w.each {
		if c.run != "" && !c.out && (next.IsZero() || c.due.Before(next)) {
			next = c.due
		}
	}
	return next
}

// Rows are what is known of each container, in the order of pods' names.
func (w *Wait) Rows() (rows []Row) {
	for c := range w.each {
		rows = append(rows, c.row)
	}
	Sort(rows)
	return rows
}

// Sort puts rows in the order of pods' names.
func Sort(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int {
		return cmp.Or(cmp.Compare(a.Pod, b.Pod), cmp.Compare(a.UID, b.UID), cmp.Compare(a.Container, b.Container))
	})
}

//go:build fleet

package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"confit/integration/cluster"
)

// record is the annotation of the Lease, as whoever looks at it from outside finds it.
type record struct {
	Revisions []revision
}

type revision struct {
	Name, Stable, Previous string
	Remains                bool
	Trial                  *trial
	Proofs                 []proof
	Rejected               []rejection
	Late                   []late
}

// late is what a pod has said against a hash that it had accepted.
type late struct {
	Hash, Pod, Step string
	Failed, Open    bool
}

type proof struct {
	Hash   string
	Proved bool
}

type trial struct {
	Hash             string
	Accepted, Losses int
	Holds            []hold
}

type hold struct {
	Pod           string
	Bound, Serial int
}

type rejection struct {
	Hash, Step, Pod string
	At              int64
}

// firstImage is the revision that a fleet has from the beginning, and as a rule the only one.
const firstImage = "r1"

// revision is that of the first image.
func (r record) revision() revision {
	i := slices.IndexFunc(r.Revisions, func(v revision) bool { return v.Name == firstImage })
	if i < 0 {
		return revision{}
	}
	return r.Revisions[i]
}

// rejects tells whether a hash was rejected.
func (v revision) rejects(hash string) bool {
	return slices.ContainsFunc(v.Rejected, func(r rejection) bool { return r.Hash == hash })
}

// holds tells whether a pod has a place.
func (v revision) holds(uid string) bool {
	return v.Trial != nil && slices.ContainsFunc(v.Trial.Holds, func(h hold) bool { return h.Pod == uid })
}

// losses are the canaries that were lost in a row.
func (v revision) losses() int {
	if v.Trial == nil {
		return 0
	}
	return v.Trial.Losses
}

// version is a state that the Lease was in.
type version struct {
	record
	at  time.Time
	uid string
}

// history is all of them.
type history struct {
	mu       sync.Mutex
	versions []version
	lost     []string // UIDs of pods whose place may pass to another hash
}

// lose notes that a pod is gone with its node.
func (h *history) lose(uid string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lost = append(h.lost, uid)
}

// lease is the object.
type lease struct {
	Metadata struct {
		UID, ResourceVersion string
		Annotations          map[string]string
	}
}

// watch follows a Lease, also over the end of an API server and of the Lease itself.
func (h *history) watch(ctx context.Context, c *cluster.Cluster, name string) {
	for ctx.Err() == nil {
		var l lease
		code, answer := c.Do(http.MethodGet, cluster.Leases+"/"+name, "")
		if code == http.StatusOK && json.Unmarshal(answer, &l) == nil {
			h.add(l)
			h.follow(ctx, c, name, l.Metadata.ResourceVersion)
		}
		select {
		case <-ctx.Done():
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// follow returns when the watch ends.
func (h *history) follow(ctx context.Context, c *cluster.Cluster, name, from string) {
	answer, err := c.Open(ctx, http.MethodGet, cluster.Leases+"?watch=1&fieldSelector=metadata.name="+name+"&resourceVersion="+from, "")
	if err != nil {
		return
	}
	defer answer.Body.Close()
	for events := json.NewDecoder(answer.Body); ; {
		var e struct {
			Type   string
			Object lease
		}
		if events.Decode(&e) != nil || e.Type == "ERROR" {
			return
		}
		if e.Type != "DELETED" {
			h.add(e.Object)
		}
	}
}

func (h *history) add(l lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v := version{at: time.Now(), uid: l.Metadata.UID}
	_ = json.Unmarshal([]byte(l.Metadata.Annotations["confit/rollout"]), &v.record)
	h.versions = append(h.versions, v)
}

// all are the versions so far.
func (h *history) all() []version {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.versions)
}

func (h *history) last() version {
	all := h.all()
	if len(all) == 0 {
		return version{}
	}
	return all[len(all)-1]
}

// allowed is how many may be in flight when that many have accepted: the default share of 25%.
func allowed(v revision) int {
	if v.Trial.Hash != v.Stable && v.Trial.Hash != v.Previous {
		return 1 // a canary
	}
	return max(1, v.Trial.Accepted*25/(100-25))
}

// check holds what must be true of every version, whatever the case.
func (h *history) check(t *testing.T) {
	t.Helper()
	var before version
	for i, v := range h.all() {
		before = before.without(h.lost)
		for _, wrong := range faults(before, v) {
			t.Errorf("version %d of the Lease: %s", i, wrong)
		}
		before = v
	}
}

// without is a version without the places of pods that are gone.
func (v version) without(lost []string) version {
	r := v.revision()
	if r.Trial == nil || len(lost) == 0 {
		return v
	}
	t := *r.Trial
	t.Holds = slices.DeleteFunc(slices.Clone(t.Holds), func(h hold) bool { return slices.Contains(lost, h.Pod) })
	r.Trial = &t
	v.Revisions = []revision{r}
	return v
}

// faults are what is wrong with a version that comes after another.
func faults(before, now version) (wrong []string) {
	v, u := now.revision(), before.revision()
	if v.Trial == nil {
		return nil
	}
	if n := allowed(v); len(v.Trial.Holds) > n && !v.rejects(v.Trial.Hash) { // else those end who had begun
		wrong = append(wrong, fmt.Sprintf("%d in flight, %d are allowed with %d accepted", len(v.Trial.Holds), n, v.Trial.Accepted))
	}
	holders := map[string]bool{}
	for _, x := range v.Trial.Holds {
		if holders[x.Pod] {
			wrong = append(wrong, "a pod holds two places")
		}
		holders[x.Pod] = true
	}
	if before.uid != now.uid || u.Trial == nil {
		return wrong
	}
	if u.Trial.Hash != v.Trial.Hash && len(u.Trial.Holds) > 0 {
		wrong = append(wrong, fmt.Sprintf("hash %s is tried while %s is held", v.Trial.Hash, u.Trial.Hash))
	}
	if u.rejects(v.Trial.Hash) && len(v.Trial.Holds) > len(u.Trial.Holds) {
		wrong = append(wrong, "a hash that was rejected is given away")
	}
	return wrong
}

// String is the history as a failed test shows it.
func (h *history) String() string {
	var b strings.Builder
	for i, v := range h.all() {
		r := v.revision()
		fmt.Fprintf(&b, "%3d %s stable %.6s", i, v.at.Format("15:04:05.000"), r.Stable)
		if r.Trial != nil {
			fmt.Fprintf(&b, ", trial %.6s: %d accepted, %d lost, %d in flight", r.Trial.Hash, r.Trial.Accepted, r.Trial.Losses, len(r.Trial.Holds))
		}
		for _, j := range r.Rejected {
			fmt.Fprintf(&b, ", %.6s rejected by %s at %s", j.Hash, j.Pod, j.Step)
		}
		b.WriteString("\n")
	}
	return b.String()
}

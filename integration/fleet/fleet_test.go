//go:build fleet

package fleet

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"confit/integration/cluster"
	"confit/integration/internal/harness"
)

const (
	size     = 30
	spread   = 5 * time.Second // within which the kubelets swap an edit
	patience = 8 * time.Minute // for what a rollout leads to; only a failing test waits so long
)

// fleet is a Deployment's pods, with their Lease, ConfigMap, service account and role, all of one name.
type fleet struct {
	t       *testing.T
	cluster *cluster.Cluster
	name    string
	dir     string
	pods    []*pod
	history *history
	limited bool   // its pods have a limit of memory
	image   string // the revision of pods that are added
	node    *node  // that its pods are on; nil: nobody can ask them
}

// newFleet makes the objects. Its pods may use the Lease as the manifest says.
func newFleet(t *testing.T, c *cluster.Cluster, name string) *fleet {
	f := &fleet{t: t, cluster: c, name: name, dir: t.TempDir(), history: &history{}, image: firstImage}
	c.Account(name)
	f.allow("get", "update")
	f.createLease()
	c.Must(http.MethodPost, cluster.Core+"configmaps", fmt.Sprintf(`{"metadata": {"name": %q}}`, f.snapshot()), http.StatusCreated)
	c.Must(http.MethodPost, cluster.Core+"configmaps", f.configMap("first", "good"), http.StatusCreated)
	ctx, cancel := context.WithCancel(context.Background())
	var watch sync.WaitGroup
	watch.Go(func() { f.history.watch(ctx, c, name) })
	t.Cleanup(func() { cancel(); watch.Wait() })
	t.Cleanup(f.end)
	return f
}

// allow makes these the verbs of the role on the Lease. On the snapshot it has those of the manifest.
func (f *fleet) allow(verbs ...string) {
	f.cluster.Allow(f.name, cluster.LeaseRule(f.name, verbs...)+`, {"apiGroups": [""], "resources": ["configmaps"],
		"resourceNames": ["`+f.snapshot()+`"], "verbs": ["get", "update"]}`)
}

func (f *fleet) createLease() {
	f.cluster.Must(http.MethodPost, cluster.Leases, fmt.Sprintf(`{"metadata": {"name": %q}}`, f.name), http.StatusCreated)
}

func (f *fleet) configMap(edition, effect string) string {
	return fmt.Sprintf(`{"metadata": {"name": %q}, "data": {"app.conf": "%s %s\n"}}`, f.name, edition, effect)
}

// snapshot is the name of the ConfigMap that holds what the fleet accepted; every pod mounts it as its fallback, if it is there.
func (f *fleet) snapshot() string { return f.name + "-accepted-web" }

// scale adds pods.
func (f *fleet) scale(n int) (added []*pod) {
	f.t.Helper()
	for range n {
		p := f.newPod(len(f.pods))
		p.mount(f.name, "/confit/web")
		p.mount(f.snapshot(), "/fallback/web")
		f.pods, added = append(f.pods, p), append(added, p)
		if f.limited {
			if err := p.limitMemory(); err != nil {
				f.t.Fatal(err)
			}
		}
		if err := p.start(); err != nil {
			f.t.Fatal(err)
		}
	}
	return added
}

// startAll has the whole fleet run on the first edition.
func (f *fleet) startAll() { f.t.Helper(); f.startSome(size) }

func (f *fleet) startSome(n int) {
	f.t.Helper()
	f.scale(n)
	f.until("the first edition is stable and everywhere", func() bool {
		v := f.history.last().revision()
		return v.Stable != "" && f.count("first") == n
	})
	f.each("all have reported", func(p *pod) bool { return p.Contains("outcome reported") }) // no gate is asked before
}

// edit changes the ConfigMap. Each kubelet swaps it in at some moment within the spread; swapped waits for the last one.
func (f *fleet) edit(edition, effect string) (swapped func()) {
	f.t.Helper()
	f.t.Logf("edit %s, %s", edition, effect)
	f.cluster.Must(http.MethodPut, cluster.Core+"configmaps/"+f.name, f.configMap(edition, effect), http.StatusOK)
	var all sync.WaitGroup
	for _, p := range f.pods {
		all.Add(1)
		time.AfterFunc(rand.N(spread), func() {
			defer all.Done()
			p.mount(f.name, "/confit/web")
		})
	}
	return all.Wait
}

// count is how many apps run with an edition.
func (f *fleet) count(edition string) (n int) {
	for _, p := range f.pods {
		if p.now() == edition {
			n++
		}
	}
	return n
}

// readers are the pods whose apps ever read an edition.
func (f *fleet) readers(edition string) (found []*pod) {
	for _, p := range f.pods {
		if p.has(edition) {
			found = append(found, p)
		}
	}
	return found
}

// pod finds one by its name.
func (f *fleet) pod(name string) *pod {
	f.t.Helper()
	i := slices.IndexFunc(f.pods, func(p *pod) bool { return p.name == name })
	if i < 0 {
		f.t.Fatalf("there is no pod %q", name)
	}
	return f.pods[i]
}

// holder waits for the pod that holds the trial's first place, in a trial of another hash than the one that is stable.
func (f *fleet) holder() (p *pod) {
	f.t.Helper()
	f.until("a canary holds the change", func() bool {
		v := f.history.last().revision()
		if v.Trial == nil || len(v.Trial.Holds) == 0 || v.Trial.Hash == v.Stable {
			return false
		}
		i := slices.IndexFunc(f.pods, func(p *pod) bool { return p.uid == v.Trial.Holds[0].Pod })
		p = f.pods[i]
		return true
	})
	return p
}

// each waits until something is true of all pods but these.
func (f *fleet) each(what string, ok func(*pod) bool, but ...*pod) {
	f.t.Helper()
	var missing string
	f.until(what, func() bool {
		for _, p := range f.pods {
			if !slices.Contains(but, p) && !ok(p) {
				missing = p.name
				return false
			}
		}
		return true
	}, &missing)
}

// until polls. What is still missing at the end may be named.
func (f *fleet) until(what string, ok func() bool, missing ...*string) {
	f.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if harness.PollEvery(ctx, 20*time.Millisecond, ok) {
		return
	}
	for _, m := range missing {
		what += ": not " + *m
	}
	f.t.Fatalf("not within %v: %s", patience, what)
}

// end ends all pods, and shows what a failed test needs.
func (f *fleet) end() {
	for _, p := range f.pods {
		p.lose()
		if err := p.release(); err != nil {
			f.t.Errorf("cannot remove the cgroup of %s: %v", p.name, err)
		}
		for _, fault := range []string{"panic: ", "fatal error: "} {
			if p.Contains(fault) {
				f.t.Errorf("the transcript of %s holds %q", p.name, fault)
			}
		}
	}
	f.history.check(f.t)
	if f.t.Failed() {
		f.explain()
	}
}

func (f *fleet) explain() {
	var b strings.Builder
	for _, p := range f.pods {
		fmt.Fprintf(&b, "%s: reads %q, %d starts, %+v\n", p.name, p.Texts("stdout", "read "), p.starts, p.status())
	}
	f.t.Logf("%s\n%s", f.history, &b)
	for _, p := range f.pods[:min(3, len(f.pods))] {
		f.t.Logf("transcript of %s:\n%s", p.name, &p.Transcript)
	}
}

package cli

import (
	"testing"
	"time"

	coordination "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"

	"confit/confitctl/lease"
	"confit/confitctl/rollout"
	"confit/status"
)

// rolling is a namespace whose pods roll out what they mount, by the Lease web.
type rolling struct {
	*world
	record rollout.Record
}

// The hash that is stable, and that of the edit.
const (
	old     = "0c1d2e3f4a5b"
	edition = "cf8ac6c2749a0c1d2e3f"
)

// newRolling has pods that run on the edition before an edit, which is stable.
func newRolling(t *testing.T, pods ...string) *rolling {
	t.Helper()
	r := &rolling{world: newWorld(t, configMap("web", "nginx.conf", "1"))}
	for _, name := range pods {
		r.add(name, "nginx.conf")
	}
	r.says(pods[0], old, rollout.Accepted, "")
	r.Apply(configMap("web", "nginx.conf", "2"))
	return r
}

// replica is a pod as its gate and its report have it.
func (r *rolling) replica(pod, hash string) rollout.Replica {
	uid := ""
	if p, there := r.Get("pods", "shop", pod).(*corev1.Pod); there {
		uid = string(p.UID)
	}
	return rollout.Replica{Revision: "7f4c", Pod: uid, PodName: pod, Hash: hash, Accepted: old, Bound: time.Minute}
}

// store puts the record into the Lease.
func (r *rolling) store(record rollout.Record) {
	r.t.Helper()
	text, err := record.Encode()
	if err != nil {
		r.t.Fatal(err)
	}
	r.write(text)
	r.record = record
}

// write puts a text into the Lease.
func (r *rolling) write(text string) {
	l := &coordination.Lease{ObjectMeta: named("web")}
	l.Annotations = map[string]string{lease.Annotation: text}
	r.Apply(l)
}

// stored is what the Lease holds.
func (r *rolling) stored() rollout.Record {
	r.t.Helper()
	record, err := rollout.Decode(r.Get("leases", "shop", "web").(*coordination.Lease).Annotations[lease.Annotation])
	if err != nil {
		r.t.Fatal(err)
	}
	return record
}

// at is when it happened, by the server's clock.
var at = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// begins lets a pod through.
func (r *rolling) begins(pod, hash string) {
	r.t.Helper()
	answer, next := r.record.Gate(r.replica(pod, hash), rollout.Policy{Canaries: 1}, rollout.Observer{Last: rollout.Moment{Date: at.Unix()}})
	if answer.Verdict != rollout.Go {
		r.t.Fatalf("%s may not begin: %s", pod, answer.Reason)
	}
	r.store(next)
}

// says has a pod report.
func (r *rolling) says(pod, hash string, kind rollout.Kind, step string) {
	r.t.Helper()
	r.store(r.record.Report(r.replica(pod, hash), rollout.Outcome{Kind: kind, Step: step, Source: "mounted"}, at.Unix()))
}

// rejects has a pod try what is mounted, reject it, and say so. The record's hash isn't that of the status.
func (r *rolling) rejects(pod, step, reason, output string) {
	r.t.Helper()
	of := r.replicas.Of(pod, "nginx")
	of.Bring("/confit/web", r.data("web"))
	of.Reject(step, reason, output, 1)
	of.Change(func(s *status.Status) { s.Rejection.At = status.At(at) })
	r.begins(pod, edition)
	r.says(pod, edition, rollout.RolledBack, step)
}

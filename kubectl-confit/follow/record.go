package follow

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	"confit/confitctl/rollout"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
)

// recordPause is the time between two looks at a Lease, as long as a gate takes at least.
const recordPause = 5 * time.Second

// record looks at a rollout's record for those that wait at a gate, which would have them wait for ever when others have rejected what
// they wait with. Who may not read it, or can't now, sees what the pods say.
func (r *run) record(ctx context.Context, lease string) {
	store, err := r.client.Rollout(lease)
	for err == nil && ctx.Err() == nil {
		if record, _, err := store.Load(ctx); err == nil {
			view := record.View()
			r.tell(ctx, func() {
				r.wait.Refused(func(pod *corev1.Pod, in *pods.Container, hash string) string {
					if in.Lease() != lease {
						return ""
					}
					return rejecterOf(view, pod, in, hash)
				})
			})
		}
		select {
		case <-r.options.Clock.After(recordPause):
		case <-ctx.Done():
		}
	}
}

// refused looks once at the records for which containers wait. Who may not read one, or can't now, sees what the pods say.
func (l *look) refused(ctx context.Context, rows []verdict.Row) {
	for i := range rows {
		r, o := &rows[i], l.asked[i]
		if r.State != verdict.Gated || r.Hash == "" || o.in.Lease() == "" {
			continue
		}
		store, err := l.client.Rollout(o.in.Lease())
		if err != nil {
			continue
		}
		record, _, err := store.Load(ctx)
		if err != nil {
			continue
		}
		if by := rejecterOf(record.View(), o.pod, o.in, r.Hash); by != "" {
			r.Refuse(by)
		}
	}
}

// rejecterOf is who has rejected a hash in a container's revision; "": nobody.
func rejecterOf(view rollout.View, pod *corev1.Pod, in *pods.Container, hash string) string {
	for _, v := range view.Revisions {
		for _, h := range v.Hashes {
			if h.Hash != hash || h.State != rollout.StateRejected || !in.IsRevision(pod, v.Name) {
				continue
			}
			for _, p := range h.Pods {
				if p.State == rollout.PodRejected {
					return fmt.Sprintf("%s has rejected at step %s: %s", p.Name, p.Step, rollout.Short(hash))
				}
			}
		}
	}
	return ""
}

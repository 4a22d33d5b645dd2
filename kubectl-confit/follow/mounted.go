package follow

import (
	"context"

	"confit/confitctl/people"
	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
)

// Mounted is what the pods have mounted whose gates look at a Lease, as far as their specs say that and they can be asked.
func Mounted(ctx context.Context, c *cluster.Client, lease string) (mounts []people.Mount) {
	list, err := c.Pods(ctx, cluster.Selection{})
	if err != nil {
		return nil
	}
	l := look{client: c}
	for _, pod := range list {
		for _, in := range pods.Containers(pod) {
			if in.Lease() == lease {
				l.asked = append(l.asked, one{pod, &in})
			}
		}
	}
	l.asked = l.asked[:min(len(l.asked), askers)] // the others have the same, or will
	for _, r := range l.ask(ctx) {
		m := people.Mount{Pod: r.Pod, Hash: r.Hash}
		if r.State == verdict.Rejected && r.Final {
			m.Rejected = r.Why
		}
		mounts = append(mounts, m)
	}
	return mounts
}

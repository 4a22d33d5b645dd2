package follow

import (
	"context"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
)

// Look asks each container once. The report's Result has the exit code; its Why is set when there is nobody to ask.
func Look(ctx context.Context, c *cluster.Client, s Scope) (*Report, error) {
	list, err := c.Pods(ctx, s.Pods)
	if err != nil {
		return nil, err
	}
	objects := s.Objects
	if len(objects) == 0 {
		objects = objectsOf(list)
	}
	have, refused := maps.Clone(s.Pinned), map[pods.Object]bool{}
	if have == nil {
		have = verdict.Objects{}
	}
	r := &Report{Objects: have}
	if err := read(ctx, c, have, objects, refused); err != nil {
		return nil, err
	}
	l := look{client: c, have: have, only: s.Objects}
	for _, pod := range list {
		if err := read(ctx, c, have, neighbours(pod, objects), refused); err != nil {
			return nil, err
		}
		for _, in := range pods.Containers(pod) {
			if len(s.Objects) == 0 || slices.ContainsFunc(in.Objects(), func(o pods.Object) bool { return slices.Contains(s.Objects, o) }) {
				l.asked = append(l.asked, one{pod, &in})
			}
		}
	}
	r.Rows, r.Without = l.ask(ctx), verdict.WithoutConfit(list, objects)
	l.refused(ctx, r.Rows)
	verdict.Sort(r.Rows)
	r.Result.Code = verdict.Code(r.Rows)
	if len(r.Rows) == 0 {
		r.Result = verdict.Result{Code: verdict.Wrong, Why: verdict.Nobody(list, s.Objects)}
	}
	return r, context.Cause(ctx)
}

// look is one look at containers.
type look struct {
	client *cluster.Client
	have   verdict.Objects
	only   []pods.Object
	asked  []one
}

// one is a container of them.
type one struct {
	pod *corev1.Pod
	in  *pods.Container
}

// ask asks all of them.
func (l *look) ask(ctx context.Context) []verdict.Row {
	rows := make([]verdict.Row, len(l.asked))
	workqueue.ParallelizeUntil(ctx, askers, len(rows), func(i int) { rows[i] = l.row(ctx, l.asked[i]) })
	return rows
}

// askers is how many containers are asked at once: as many as package cluster lets run.
const askers = 16

func (l *look) row(ctx context.Context, o one) verdict.Row {
	return verdict.Judge(o.pod, o.in, o.answer(ctx, l.client), l.have, l.only)
}

// answer is what the container says, if it runs.
func (o one) answer(ctx context.Context, c *cluster.Client) (a verdict.Answer) {
	if _, runs := verdict.FromAPI(o.pod, o.in); runs {
		a = ask(ctx, c, o.pod.Name, o.in)
	}
	return a
}

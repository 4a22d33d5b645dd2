package follow

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/util/workqueue"
	"k8s.io/utils/ptr"

	"confit/confitctl/rollout"
	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
	"confit/status"
)

// Word is what a container says of a hash that its pod has rejected in a rollout.
type Word struct {
	Hash string `json:"hash"`
	verdict.Row
}

// Words asks the pods that have rejected what a rollout tries why they did. A pod that can't be asked has a row that says
// why not. Without such pods nothing is asked.
func Words(ctx context.Context, c *cluster.Client, view rollout.View) []Word {
	against := rejecters(view)
	if len(against) == 0 {
		return nil
	}
	list, err := c.Pods(ctx, cluster.Selection{})
	var words []Word
	for _, r := range against {
		words = append(words, r.words(ctx, c, list, err)...)
	}
	return words
}

// rejecter is a pod that has rejected a hash.
type rejecter struct {
	hash string
	pod  rollout.PodView
}

// rejecters are those whose verdicts still stop something: it is what is tried, or others are waited for.
func rejecters(view rollout.View) (list []rejecter) {
	for _, v := range view.Revisions {
		for _, h := range v.Hashes {
			for _, p := range h.Pods {
				if p.State == rollout.PodFailed || p.State == rollout.PodRejected && h.Tried && p.Step != rollout.StepAbort {
					list = append(list, rejecter{h.Hash, p})
				}
			}
		}
	}
	return list
}

// words asks each container with confit of each pod that it may be. Of several those count that have rejected it.
func (r rejecter) words(ctx context.Context, c *cluster.Client, list []*corev1.Pod, err error) []Word {
	var asked []one
	there := false
	for _, pod := range list {
		if r.pod.Is(string(pod.UID), pod.Name) {
			there = true
			for _, in := range pods.Containers(pod) {
				asked = append(asked, one{pod, &in})
			}
		}
	}
	switch {
	case err != nil:
		return r.silent(verdict.Unknown, status.Clean(err.Error()))
	case !there:
		return r.silent(verdict.Ended, "the pod is gone")
	case len(asked) == 0:
		return r.silent(verdict.Unknown, verdict.Nobody(nil, nil))
	}
	words := make([]Word, len(asked))
	workqueue.ParallelizeUntil(ctx, askers, len(asked), func(i int) {
		words[i] = Word{r.hash, verdict.Words(asked[i].pod, asked[i].in, asked[i].answer(ctx, c), r.hash, r.pod.Step, ptr.Deref(r.pod.Since, time.Time{}))}
	})
	others := func(w Word) bool { return w.State != verdict.Rejected }
	if slices.ContainsFunc(words, func(w Word) bool { return !others(w) }) {
		words = slices.DeleteFunc(words, others)
	}
	return words
}

// silent is the row of a pod that can't be asked.
func (r rejecter) silent(s verdict.State, why string) []Word {
	return []Word{{r.hash, verdict.Row{Pod: status.Clean(r.pod.Name), UID: r.pod.UID, State: s, Why: why, Keys: []verdict.Key{}}}}
}

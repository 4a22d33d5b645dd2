package check

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"
	api "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/rand"

	"confit/kubectl-confit/cluster"
)

// How long the API server may take to delete a copy, whatever becomes of the trial; and how often that is looked at.
const (
	deleteTimeout = 15 * time.Second
	pollEvery     = 250 * time.Millisecond
)

var errSlow = errors.New("it takes longer than --timeout")

// InCopy runs --try in a copy of the trial's pod, and deletes that, also when the context ends. left names a copy that could
// not be deleted, and why.
func (r *Runner) InCopy(ctx context.Context, t *Trial, payload []byte) (o Outcome, left error) {
	pod, err := Copy(t.Pod, t.Container, Options{Name: "confit-check-" + rand.String(10), Seconds: int64(r.Timeout/time.Second) + 1})
	if err != nil {
		return Outcome{Untried, nil, err.Error()}, nil
	}
	ctx, cancel := context.WithTimeoutCause(ctx, r.Timeout, errSlow)
	defer cancel()
	if err := context.Cause(ctx); err != nil {
		return Outcome{Untried, nil, err.Error()}, nil
	}
	c := &copied{Runner: r, name: pod.Name, container: t.Container.Name}
	created, err := c.create(ctx, pod)
	if created {
		defer func() { left = c.delete(ctx, err != nil) }()
	}
	if err != nil {
		return Outcome{Untried, nil, err.Error()}, nil
	}
	return c.try(ctx, payload), nil
}

// copied is a copy in the cluster.
type copied struct {
	*Runner
	name, container string
	uid             *metav1.Preconditions
}

// create creates the pod. It isn't interrupted, as nobody could tell then whether there is one. created says that there may be
// one: a refusal is the only answer that says there is none.
func (c *copied) create(ctx context.Context, pod *corev1.Pod) (created bool, err error) {
	ctx, cancel := cluster.Finish(ctx, c.Timeout)
	defer cancel()
	made, err := c.made(ctx, pod)
	if err == nil {
		c.uid = &metav1.Preconditions{UID: &made.UID}
		return true, nil
	}
	var status api.APIStatus
	refused := errors.As(err, &status) && status.Status().Code >= 400 && status.Status().Code < 500
	return !refused, cluster.Problem("create", "a copy of the pod", err)
}

// made creates the pod, and again while the API server is away: one of this name that is there then is the pod.
func (c *copied) made(ctx context.Context, pod *corev1.Pod) (*corev1.Pod, error) {
	copies := c.Client.Core().Pods(c.Client.Namespace)
	for lost := false; ; lost = true {
		made, err := copies.Create(ctx, pod, metav1.CreateOptions{})
		if lost && api.IsAlreadyExists(err) {
			return copies.Get(ctx, c.name, metav1.GetOptions{})
		}
		if !cluster.IsAway(err) || !pause(ctx, 4*pollEvery) {
			return made, err
		}
	}
}

// delete deletes the pod, in its own time. Of one whose creation wasn't answered it makes sure that it doesn't come late.
func (c *copied) delete(ctx context.Context, unanswered bool) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deleteTimeout)
	defer cancel()
	for looks := 1; ; looks++ {
		err := c.Client.Core().Pods(c.Client.Namespace).Delete(ctx, c.name, metav1.DeleteOptions{Preconditions: c.uid})
		gone := cluster.IsNotFound(err) || api.IsConflict(err)
		if err == nil || gone && (!unanswered || looks == 4) {
			return nil
		}
		if api.IsForbidden(err) || looks >= 4 || !pause(ctx, time.Duration(looks)*pollEvery) {
			return fmt.Errorf("%w; it ends by itself, and stays there until somebody runs kubectl delete pod %s", cluster.Problem("delete", "the copy, pod "+c.name, err), c.name)
		}
	}
}

// try feeds the copy, and waits for its end.
func (c *copied) try(ctx context.Context, payload []byte) Outcome {
	state, err := c.await(ctx, func(s corev1.ContainerState) bool { return s.Running != nil || s.Terminated != nil })
	if err == nil && state.Terminated == nil {
		feeding, stop := context.WithCancelCause(ctx)
		defer stop(nil)
		go c.feed(feeding, payload, stop)
		state, err = c.await(feeding, func(s corev1.ContainerState) bool { return s.Terminated != nil })
	}
	if err != nil {
		return Outcome{Untried, nil, err.Error()}
	}
	return c.result(ctx, state.Terminated)
}

// feed gives the container its stdin, and tries again while it runs: its stdin may not be there yet. If that is refused,
// it ends the wait, but not before another look: perhaps the container has just ended. Half of a document is none, so nothing
// is ever taken because of a half.
func (c *copied) feed(ctx context.Context, payload []byte, stop context.CancelCauseFunc) {
	for tries := 1; ; tries++ {
		begun := time.Now()
		err := c.Client.Feed(ctx, c.name, c.container, bytes.NewReader(payload))
		if err == nil || !pause(ctx, 4*pollEvery) {
			return
		}
		if away, _ := c.Client.WasAway(ctx, begun); away {
			tries = 0
			continue
		}
		if tries == 3 || cluster.IsForbidden(err) {
			stop(err)
			return
		}
	}
}

// pause says no if the context ends meanwhile.
func pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

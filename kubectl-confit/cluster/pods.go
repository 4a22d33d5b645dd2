package cluster

import (
	"context"
	"errors"
	"slices"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/pager"
)

// Selection is which pods of the namespace: the one with a name, those that have labels, or those of any of several selections;
// all if there is nothing.
type Selection struct {
	Name, Labels string
	Any          []Selection
}

func (s Selection) narrow(o *metav1.ListOptions) {
	o.LabelSelector = s.Labels
	if s.Name != "" {
		o.FieldSelector = "metadata.name=" + s.Name
	}
}

// has looks at what the server can't: whether a pod is in one of several selections.
func (s Selection) has(o any) bool {
	pod, ok := podOf(o)
	return ok && (len(s.Any) == 0 || slices.ContainsFunc(s.Any, func(one Selection) bool {
		selector, err := labels.Parse(one.Labels)
		return err == nil && selector.Matches(labels.Set(pod.Labels)) && (one.Name == "" || one.Name == pod.Name)
	}))
}

// podOf is the pod of an event, also of one that was missed.
func podOf(o any) (*corev1.Pod, bool) {
	if last, missed := o.(cache.DeletedFinalStateUnknown); missed {
		o = last.Obj
	}
	pod, ok := o.(*corev1.Pod)
	return pod, ok
}

// Pods lists pods, in pages, in the order of their names.
func (c *Client) Pods(ctx context.Context, s Selection) (list []*corev1.Pod, err error) {
	pages := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return c.core.Pods(c.Namespace).List(ctx, o)
	})
	var o metav1.ListOptions
	s.narrow(&o)
	err = pages.EachListItem(ctx, o, func(o runtime.Object) error {
		if pod, ok := o.(*corev1.Pod); ok && s.has(pod) {
			pod.ManagedFields = nil // nobody asks for them, and they are half of a pod
			list = append(list, pod)
		}
		return nil
	})
	return list, Problem("list", "pods", err)
}

// WatchPods tells each pod that is there, and then each change, until the context ends or the server refuses. A pod that
// is gone comes with gone. synced is called once, when all that were there are told. told is called from one goroutine, with
// pods that nobody may change. The error is never nil.
func (c *Client) WatchPods(ctx context.Context, s Selection, synced func(), told func(pod *corev1.Pod, gone bool)) error {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	source := cache.NewFilteredListWatchFromClient(c.core.RESTClient(), "pods", c.Namespace, s.narrow)
	informer := cache.NewSharedInformer(source, &corev1.Pod{}, 0)
	var begun atomic.Bool
	refused := func(_ context.Context, _ *cache.Reflector, err error) {
		if !begun.Load() && !IsAway(err) || isRefusal(err) {
			stop(Problem("watch", "pods", err))
		}
	}
	tell := func(o any, gone bool) {
		if pod, ok := podOf(o); ok {
			told(pod, gone)
		}
	}
	handler := cache.FilteringResourceEventHandler{FilterFunc: s.has, Handler: cache.ResourceEventHandlerFuncs{
		AddFunc:    func(o any) { tell(o, false) },
		UpdateFunc: func(_, o any) { tell(o, false) },
		DeleteFunc: func(o any) { tell(o, true) },
	}}
	registration, err := informer.AddEventHandler(handler)
	if err := errors.Join(err, informer.SetWatchErrorHandlerWithContext(refused), informer.SetTransform(lean)); err != nil {
		return err
	}
	go func() {
		if cache.WaitForCacheSync(ctx.Done(), registration.HasSynced) {
			begun.Store(true)
			synced()
		}
	}()
	informer.RunWithContext(ctx)
	return context.Cause(ctx)
}

// lean takes away what nobody asks for.
func lean(o any) (any, error) {
	if pod, ok := o.(*corev1.Pod); ok {
		pod.ManagedFields = nil
	}
	return o, nil
}

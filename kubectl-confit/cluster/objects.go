package cluster

import (
	"context"
	"time"

	api "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	watchtools "k8s.io/client-go/tools/watch"
	"k8s.io/utils/clock"

	"confit/kubectl-confit/pods"
)

// Object reads a ConfigMap or Secret.
func (c *Client) Object(ctx context.Context, o pods.Object) (*pods.Data, error) {
	found, err := c.Raw(o.Kind).Get(ctx, o.Name, metav1.GetOptions{})
	if err != nil {
		return nil, Problem("read", o.String(), err)
	}
	return pods.DataOf(found)
}

// WatchObject tells a ConfigMap or Secret as it is, and then each change, until the context ends or the server refuses;
// nil when it isn't there. It may tell the same twice. The error is never nil.
func (c *Client) WatchObject(ctx context.Context, o pods.Object, told func(*pods.Data)) error {
	return Pauses.DelayWithReset(clock.RealClock{}, time.Minute).Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		d, err := c.Object(ctx, o)
		switch {
		case IsNotFound(err):
			told(nil)
			return false, nil
		case err != nil:
			return false, keep(err)
		}
		told(d)
		return false, c.changes(ctx, o, d.ResourceVersion, told)
	})
}

// changes tells what happens to an object until the server knows the version no more, or refuses.
func (c *Client) changes(ctx context.Context, o pods.Object, since string, told func(*pods.Data)) error {
	source := &cache.ListWatch{WatchFuncWithContext: func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		options.FieldSelector = fields.OneTermEqualSelector(metav1.ObjectNameField, o.Name).String()
		return c.Raw(o.Kind).Watch(ctx, options)
	}}
	w, err := watchtools.NewRetryWatcherWithContext(ctx, since, source)
	if err != nil {
		return err
	}
	defer w.Stop()
	for e := range w.ResultChan() {
		switch u, _ := e.Object.(*unstructured.Unstructured); e.Type {
		case watch.Added, watch.Modified:
			d, err := pods.DataOf(u)
			if err != nil {
				return err
			}
			told(d)
		case watch.Deleted:
			told(nil)
		case watch.Error:
			return Problem("watch", o.String(), keep(api.FromObject(e.Object)))
		}
	}
	return nil
}

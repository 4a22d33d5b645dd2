package cluster

import (
	"context"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"

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
	for again := newPause(); ; {
		d, err := c.Object(ctx, o)
		switch {
		case IsNotFound(err):
			told(nil)
		case err != nil:
			return err
		default:
			told(d)
			err = c.changes(ctx, o, d.ResourceVersion, told)
		}
		if IsForbidden(err) {
			return Problem("watch", o.String(), err)
		}
		if err := again.wait(ctx); err != nil {
			return err
		}
	}
}

// changes tells what happens to an object until the server ends the watch.
func (c *Client) changes(ctx context.Context, o pods.Object, since string, told func(*pods.Data)) error {
	options := metav1.ListOptions{FieldSelector: fields.OneTermEqualSelector(metav1.ObjectNameField, o.Name).String(), ResourceVersion: since}
	w, err := c.Raw(o.Kind).Watch(ctx, options)
	if err != nil {
		return err
	}
	defer w.Stop()
	for e := range w.ResultChan() {
		switch e.Type {
		case watch.Added, watch.Modified:
			if u, ok := e.Object.(*unstructured.Unstructured); ok {
				d, err := pods.DataOf(u)
				if err != nil {
					return err
				}
				told(d)
			}
		case watch.Deleted:
			told(nil)
		case watch.Error:
			return nil // such as a version that is too old: the object is read again
		}
	}
	return nil
}

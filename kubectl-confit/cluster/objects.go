package cluster

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"

	"confit/kubectl-confit/pods"
)

// Object reads a ConfigMap or Secret.
func (c *Client) Object(ctx context.Context, o pods.Object) (*pods.Data, error) {
	var found runtime.Object
	var err error
	if o.Kind == pods.Secret {
		found, err = c.core.Secrets(c.Namespace).Get(ctx, o.Name, metav1.GetOptions{})
	} else {
		found, err = c.core.ConfigMaps(c.Namespace).Get(ctx, o.Name, metav1.GetOptions{})
	}
	if err != nil {
		return nil, Problem("read", o.String(), err)
	}
	return dataOf(found), nil
}

// dataOf is what an object holds; nil if it is of another kind.
func dataOf(o runtime.Object) *pods.Data {
	switch o := o.(type) {
	case *corev1.ConfigMap:
		return pods.OfConfigMap(o)
	case *corev1.Secret:
		return pods.OfSecret(o)
	}
	return nil
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
	begin := c.core.ConfigMaps(c.Namespace).Watch
	if o.Kind == pods.Secret {
		begin = c.core.Secrets(c.Namespace).Watch
	}
	w, err := begin(ctx, options)
	if err != nil {
		return err
	}
	defer w.Stop()
	for e := range w.ResultChan() {
		switch e.Type {
		case watch.Added, watch.Modified:
			told(dataOf(e.Object))
		case watch.Deleted:
			told(nil)
		case watch.Error:
			return nil // such as a version that is too old: the object is read again
		}
	}
	return nil
}

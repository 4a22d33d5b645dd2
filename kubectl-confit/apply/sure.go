package apply

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	api "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"confit/kubectl-confit/cluster"
)

// errUnsure is in the error of a write of which nobody knows whether it has happened.
var errUnsure = errors.New("whether it has happened nobody knows")

// errAway is the error of a write for which there was no time any more.
var errAway = errors.New("the API server doesn't answer")

// errChanged is the error of a write whose answer was lost, of an object that isn't as it was, nor as the write leaves it.
var errChanged = &api.StatusError{ErrStatus: metav1.Status{
	Status: metav1.StatusFailure, Code: 409, Reason: metav1.StatusReasonConflict, Message: "while the API server was away it was changed",
}}

// write is a request that changes an object of one version, and of no other.
type write struct {
	onto *unstructured.Unstructured // that version; nil: it isn't there
	do   func() (*unstructured.Unstructured, error)
	has  func(now *unstructured.Unstructured) bool // whether the object is as this leaves it
	hard bool                                      // it is done again also after a 500, as long as there is time
}

// sure does a write. If its answer is lost, or is a 500, the object is read again: it is written once more only if it is still as it was.
func (s *Store) sure(ctx context.Context, o *Object, w write) (made *unstructured.Unstructured, err error) {
	if ctx.Err() != nil && s.Client.IsAway() {
		return nil, errAway
	}
	var lost error // why there was no answer
	tries, begun := 0, time.Now()
	again := cluster.Pauses.DelayFunc().Until(ctx, true, true, func(ctx context.Context) (bool, error) {
		tries++
		made, err = w.do()
		broken := cluster.IsBroken(err)
		switch late := api.IsConflict(err) || api.IsNotFound(err) || api.IsAlreadyExists(err); {
		case broken, cluster.IsAway(err) && !cluster.IsUnsent(err):
			lost = err
		case lost == nil || !late: // else the first one may have happened after all
			return true, nil
		}
		now, unread := s.get(ctx, o.Object)
		switch {
		case unread != nil:
			err = fmt.Errorf("%w: %w", unread, errUnsure)
		case version(now) == version(w.onto):
			return broken && !w.hard, nil
		case w.has(now):
			made, err = now, nil
		default:
			err = errChanged
		}
		return true, nil
	})
	if again != nil && lost != nil {
		err = fmt.Errorf("%w: %w", lost, errUnsure)
	}
	if err != nil && tries > 1 {
		err = fmt.Errorf("%w, tried %d times in %v", err, tries, time.Since(begun).Round(time.Second))
	}
	return made, cmp.Or(err, again)
}

func version(u *unstructured.Unstructured) string {
	if u == nil {
		return ""
	}
	return u.GetResourceVersion()
}

// same reports that two versions of an object have the same content, whoever owns which field.
func same(a, b *unstructured.Unstructured) bool {
	if a == nil || b == nil {
		return a == b
	}
	return reflect.DeepEqual(content(a), content(b))
}

// content is what people write of an object. The annotation of kubectl apply names a version, so it isn't among that.
func content(u *unstructured.Unstructured) map[string]any {
	c := u.DeepCopy()
	for _, field := range []string{"resourceVersion", "managedFields", "uid", "creationTimestamp", "generation", "selfLink"} {
		unstructured.RemoveNestedField(c.Object, "metadata", field)
	}
	unstructured.RemoveNestedField(c.Object, "metadata", "annotations", last)
	if len(c.GetAnnotations()) == 0 {
		unstructured.RemoveNestedField(c.Object, "metadata", "annotations")
	}
	return c.Object
}

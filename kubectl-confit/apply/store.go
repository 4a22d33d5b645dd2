package apply

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	api "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/utils/ptr"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/pods"
)

// Store is where the objects of one namespace are: the API server.
type Store struct {
	REST      rest.Interface // of core/v1
	Namespace string
	Manager   string // of the fields that are applied
	Force     bool   // fields of other managers are taken over
}

// request is one about an object. All objects come back as JSON has them: no field gets lost that this program doesn't know.
func (s *Store) request(r *rest.Request, o pods.Object) *rest.Request {
	return r.Namespace(s.Namespace).Resource(strings.ToLower(o.Kind)+"s").Name(o.Name).SetHeader("Accept", "application/json")
}

// do sends a request, and reads the object that it is answered with.
func do(ctx context.Context, r *rest.Request) (*unstructured.Unstructured, error) {
	result := r.Do(ctx)
	if err := result.Error(); err != nil { // which says more than that of Raw
		return nil, err
	}
	body, err := result.Raw()
	u := &unstructured.Unstructured{}
	if err == nil {
		err = u.UnmarshalJSON(body)
	}
	return u, err
}

// get reads an object; nil if there is none.
func (s *Store) get(ctx context.Context, o pods.Object) (*unstructured.Unstructured, error) {
	u, err := do(ctx, s.request(s.REST.Get(), o))
	if cluster.IsNotFound(err) {
		return nil, nil
	}
	return u, cluster.Problem("read", o.String(), err)
}

// apply sends the object as the file has it onto the version that is there: onto no other. trial has the server do all but
// keep it.
func (s *Store) apply(ctx context.Context, o *Object, trial bool) (*unstructured.Unstructured, error) {
	given := o.Given.DeepCopy()
	if o.onto != nil && given.GetResourceVersion() == "" {
		given.SetResourceVersion(o.onto.GetResourceVersion())
	}
	options := metav1.PatchOptions{FieldManager: s.Manager, Force: ptr.To(s.Force), FieldValidation: metav1.FieldValidationStrict}
	if trial {
		options.DryRun = []string{metav1.DryRunAll}
	}
	u, err := do(ctx, s.patch(types.ApplyYAMLPatchType, o, given, &options))
	return u, said(o, err)
}

func (s *Store) patch(kind types.PatchType, o *Object, body any, options *metav1.PatchOptions) *rest.Request {
	data, err := json.Marshal(body)
	if err != nil {
		panic(err) // it was made of JSON
	}
	return s.request(s.REST.Patch(kind), o.Object).VersionedParams(options, scheme.ParameterCodec).Body(data)
}

// update replaces an object.
func (s *Store) update(ctx context.Context, o *Object, next *unstructured.Unstructured, manager string) (*unstructured.Unstructured, error) {
	data, err := next.MarshalJSON()
	if err != nil {
		return nil, err
	}
	return do(ctx, s.request(s.REST.Put(), o.Object).VersionedParams(&metav1.UpdateOptions{FieldManager: manager}, scheme.ParameterCodec).Body(data))
}

// remove deletes the very object that is given, if nobody has changed it.
func (s *Store) remove(ctx context.Context, o *Object, there *unstructured.Unstructured) error {
	options := metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: ptr.To(there.GetUID()), ResourceVersion: ptr.To(there.GetResourceVersion())}}
	return s.request(s.REST.Delete(), o.Object).Body(&options).Do(ctx).Error()
}

// said is an error of an apply, with what to do about it.
func said(o *Object, err error) error {
	told := cluster.Problem("apply", o.String(), err)
	switch {
	case api.HasStatusCause(err, metav1.CauseTypeFieldManagerConflict):
		return fmt.Errorf("%w: write the values that are there into the file, or take these fields over with --force-conflicts", told)
	case api.IsConflict(err):
		return fmt.Errorf("%w: somebody has changed it meanwhile; run this again", told)
	}
	return told
}

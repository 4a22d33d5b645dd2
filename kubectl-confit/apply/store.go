package apply

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	api "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/pods"
)

// Store is where the objects of one namespace are: the API server.
type Store struct {
	Client  *cluster.Client
	Manager string // of the fields that are applied
	Force   bool   // fields of other managers are taken over
}

// get reads an object; nil if there is none.
func (s *Store) get(ctx context.Context, o pods.Object) (*unstructured.Unstructured, error) {
	u, err := s.Client.Raw(o.Kind).Get(ctx, o.Name, metav1.GetOptions{})
	if cluster.IsNotFound(err) {
		return nil, nil
	}
	return u, cluster.Problem("read", o.String(), err)
}

// apply sends the object as the file has it onto the version that is given: onto no other. trial has the server do all but
// keep it.
func (s *Store) apply(ctx context.Context, o *Object, onto *unstructured.Unstructured, trial bool) (*unstructured.Unstructured, error) {
	given := o.Given.DeepCopy()
	if onto != nil && given.GetResourceVersion() == "" {
		given.SetResourceVersion(onto.GetResourceVersion())
	}
	options := metav1.PatchOptions{FieldManager: s.Manager, Force: ptr.To(s.Force), FieldValidation: metav1.FieldValidationStrict}
	if trial {
		options.DryRun = []string{metav1.DryRunAll}
	}
	do := func() (*unstructured.Unstructured, error) {
		return s.patch(ctx, types.ApplyYAMLPatchType, o, given, options)
	}
	if trial {
		u, err := do()
		return u, said(o, err)
	}
	u, err := s.sure(ctx, o, write{onto, do, func(now *unstructured.Unstructured) bool { return same(now, o.Merged) }, false})
	o.Unsure = errors.Is(err, errUnsure)
	return u, said(o, err)
}

func (s *Store) patch(ctx context.Context, kind types.PatchType, o *Object, body any, options metav1.PatchOptions) (*unstructured.Unstructured, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return s.Client.Raw(o.Kind).Patch(ctx, o.Name, kind, data, options)
}

// remove deletes the very object that is given, if nobody has changed it.
func (s *Store) remove(ctx context.Context, o *Object, there *unstructured.Unstructured) error {
	is := &metav1.Preconditions{UID: ptr.To(there.GetUID()), ResourceVersion: ptr.To(there.GetResourceVersion())}
	_, err := s.sure(ctx, o, write{there, func() (*unstructured.Unstructured, error) {
		return nil, s.Client.Raw(o.Kind).Delete(ctx, o.Name, metav1.DeleteOptions{Preconditions: is})
	}, func(now *unstructured.Unstructured) bool { return now == nil }, true})
	return err
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

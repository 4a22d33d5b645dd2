package apply

import (
	"context"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"

	"confit/kubectl-confit/cluster"
)

// DefaultManager is that of kubectl apply --server-side. So who applies by kubectl and by this program is one owner, and a key that
// leaves the file leaves the object.
const DefaultManager = "kubectl"

// clientSide is what a manager owns who applies on the client's side.
var clientSide = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "annotations", corev1.LastAppliedConfigAnnotation))

// adopt gives the fields of kubectl apply to the manager, as kubectl apply --server-side does, lest keys that leave the file
// stay. No key changes.
func (s *Store) adopt(ctx context.Context, o *Object) (*unstructured.Unstructured, error) {
	if o.Before == nil || s.Manager != DefaultManager {
		return o.Before, nil
	}
	former := sets.New[string]()
	for _, entry := range csaupgrade.FindFieldsOwners(o.Before.GetManagedFields(), metav1.ManagedFieldsOperationUpdate, clientSide) {
		former.Insert(entry.Manager)
	}
	patch, err := csaupgrade.UpgradeManagedFieldsPatch(o.Before, former, s.Manager)
	if err != nil {
		return nil, fmt.Errorf("cannot read the managedFields of %s: %w", o, err)
	}
	if len(patch) == 0 {
		return o.Before, nil
	}
	u, err := do(ctx, s.patch(types.JSONPatchType, o, json.RawMessage(patch), &metav1.PatchOptions{}))
	return u, cluster.Problem("apply", o.String(), err)
}

// immutable says whether the server refuses to change an object.
func immutable(u *unstructured.Unstructured) bool {
	is, _, _ := unstructured.NestedBool(u.Object, "immutable")
	return is
}

// undo puts the old object in the place of the one that was applied, and its fields into the hands that had them. What was
// not there is deleted.
func (s *Store) undo(ctx context.Context, o *Object) (*unstructured.Unstructured, error) {
	if o.Before == nil {
		return nil, s.remove(ctx, o, o.After)
	}
	next := o.Before.DeepCopy()
	next.SetResourceVersion(o.After.GetResourceVersion())
	u, err := s.update(ctx, o, next, s.Manager)
	if err != nil {
		return nil, err
	}
	// Whoever changes a field owns it: now it is this program. So a second request says who it was.
	next.SetResourceVersion(u.GetResourceVersion())
	return s.update(ctx, o, next, s.Manager)
}

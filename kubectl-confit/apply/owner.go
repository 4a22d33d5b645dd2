package apply

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/util/csaupgrade"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/structured-merge-diff/v6/fieldpath"
)

// DefaultManager is that of kubectl apply --server-side. So who applies by kubectl and by this program is one owner, and a key that
// leaves the file leaves the object.
const DefaultManager = "kubectl"

// keeperOfLast owns the annotation by which kubectl apply knows what to delete, lest it goes with the fields that leave the file. It
// is kubectl's own name for that.
const keeperOfLast = "kubectl-last-applied"

const last = corev1.LastAppliedConfigAnnotation

var lastSet = fieldpath.NewSet(fieldpath.MakePathOrDie("metadata", "annotations", last))

// adopted are the owners of an object's fields once the manager has those of kubectl apply, as kubectl apply --server-side leaves
// them, lest keys that leave the file stay.
func (s *Store) adopted(u *unstructured.Unstructured) ([]metav1.ManagedFieldsEntry, error) {
	is := u.GetManagedFields()
	if s.Manager != DefaultManager {
		return is, nil
	}
	former := sets.New[string]()
	for _, entry := range csaupgrade.FindFieldsOwners(is, metav1.ManagedFieldsOperationUpdate, lastSet) {
		former.Insert(entry.Manager)
	}
	next := u.DeepCopy()
	if err := csaupgrade.UpgradeManagedFields(next, former, s.Manager); err != nil {
		return nil, fmt.Errorf("cannot read the managedFields: %w", err)
	}
	owners := next.GetManagedFields()
	if u.GetAnnotations()[last] == "" || len(csaupgrade.FindFieldsOwners(is, metav1.ManagedFieldsOperationApply, lastSet)) > 0 {
		return owners, nil
	}
	fields, err := lastSet.ToJSON()
	return append(owners, metav1.ManagedFieldsEntry{Manager: keeperOfLast, Operation: metav1.ManagedFieldsOperationApply,
		APIVersion: "v1", FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(string(fields))}), err
}

// adopt writes down these owners. No key changes.
func (s *Store) adopt(ctx context.Context, o *Object) (*unstructured.Unstructured, error) {
	if o.Before == nil || reflect.DeepEqual(o.owners, o.Before.GetManagedFields()) {
		return o.Before, nil
	}
	u, err := s.sure(ctx, o, write{o.Before, func() (*unstructured.Unstructured, error) {
		return s.patch(ctx, types.JSONPatchType, o, []map[string]any{
			{"op": "replace", "path": "/metadata/managedFields", "value": o.owners},
			{"op": "replace", "path": "/metadata/resourceVersion", "value": o.Before.GetResourceVersion()},
		}, metav1.PatchOptions{})
	}, func(now *unstructured.Unstructured) bool {
		if !same(now, o.Before) {
			return false
		}
		owners, err := s.adopted(now)
		return err == nil && reflect.DeepEqual(owners, now.GetManagedFields())
	}, false})
	return u, said(o, err)
}

// leave takes away what the server will once the owners are written down: keys that are the manager's alone, and left the file.
func (s *Store) leave(o *Object) error {
	mine, theirs := fieldpath.NewSet(), fieldpath.NewSet()
	for _, entry := range o.owners {
		var fields fieldpath.Set
		if err := fields.FromJSON(entry.FieldsV1.GetRawReader()); err != nil {
			return fmt.Errorf("cannot read the managedFields of %s: %w", o, err)
		}
		if entry.Manager == s.Manager && entry.Operation == metav1.ManagedFieldsOperationApply {
			mine = &fields
		} else {
			theirs = theirs.Union(&fields)
		}
	}
	mine.Difference(theirs).Iterate(func(path fieldpath.Path) {
		if len(path) == 2 && *path[0].FieldName != "metadata" && !o.gives(*path[1].FieldName) {
			unstructured.RemoveNestedField(o.Merged.Object, *path[0].FieldName, *path[1].FieldName)
		}
	})
	return nil
}

// gives says whether the file has a key.
func (o *Object) gives(key string) bool {
	return slices.ContainsFunc([]string{"data", "binaryData", "stringData"}, func(field string) bool {
		_, has, _ := unstructured.NestedString(o.Given.Object, field, key)
		return has
	})
}

// remember has the annotation of an object that was applied say what the file has. The server writes it, too, but with the
// resourceVersion that was asked for. If that fails the object is the one that was applied.
func (s *Store) remember(ctx context.Context, o *Object, after *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	if s.Manager != DefaultManager || after.GetAnnotations()[last] == "" {
		return after, nil
	}
	text, err := o.text()
	if err != nil {
		return after, err
	}
	u, err := s.sure(ctx, o, write{after, func() (*unstructured.Unstructured, error) {
		return s.patch(ctx, types.ApplyYAMLPatchType, o, map[string]any{"apiVersion": "v1", "kind": o.Kind, "metadata": map[string]any{
			"name": o.Name, "resourceVersion": after.GetResourceVersion(), "annotations": map[string]string{last: text},
		}}, metav1.PatchOptions{FieldManager: keeperOfLast, Force: ptr.To(true)})
	}, func(now *unstructured.Unstructured) bool {
		return same(now, after) && now.GetAnnotations()[last] == text
	}, false})
	if err != nil {
		return after, said(o, err)
	}
	return u, nil
}

// text is what the annotation says of the file.
func (o *Object) text() (string, error) {
	given := o.Given.DeepCopy()
	unstructured.RemoveNestedField(given.Object, "metadata", "annotations", last)
	text, err := runtime.Encode(unstructured.UnstructuredJSONScheme, given)
	return string(text), err
}

// changesNothing reports that the server has the object, its owners and the annotation as they are after an apply of the file.
func (s *Store) changesNothing(o *Object) bool {
	if o.Before == nil || !same(o.Before, o.Merged) || !slices.Equal(owned(o.owners), owned(o.Before.GetManagedFields())) ||
		!slices.Equal(owned(o.Merged.GetManagedFields()), owned(o.Before.GetManagedFields())) {
		return false
	}
	noted := o.Before.GetAnnotations()[last]
	text, err := o.text()
	return s.Manager != DefaultManager || noted == "" || err == nil && noted == text
}

// owned is who owns what, and not since when.
func owned(all []metav1.ManagedFieldsEntry) (list []string) {
	for _, entry := range all {
		list = append(list, fmt.Sprint(entry.Manager, " ", entry.Operation, " ", entry.Subresource, " ", entry.FieldsV1.GetRawString()))
	}
	slices.Sort(list)
	return list
}

// immutable says whether the server refuses to change an object.
func immutable(u *unstructured.Unstructured) bool {
	is, _, _ := unstructured.NestedBool(u.Object, "immutable")
	return is
}

// undo puts the old object in the place of the one that was applied, and its fields into the hands that had them. What was
// not there is deleted.
func (s *Store) undo(ctx context.Context, o *Object) (u *unstructured.Unstructured, err error) {
	if o.Before == nil {
		return nil, s.remove(ctx, o, o.After)
	}
	next := o.Before.DeepCopy()
	u = o.After
	for range 2 { // whoever changes a field owns it: after the first request it is this program, so a second one says who it was
		next.SetResourceVersion(u.GetResourceVersion())
		u, err = s.sure(ctx, o, write{u, func() (*unstructured.Unstructured, error) {
			return s.Client.Raw(o.Kind).Update(ctx, next, metav1.UpdateOptions{FieldManager: s.Manager})
		}, func(now *unstructured.Unstructured) bool { return same(now, o.Before) }, true})
		if err != nil {
			return nil, err
		}
	}
	return u, nil
}

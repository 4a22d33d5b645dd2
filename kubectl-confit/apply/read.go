package apply

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/resource"

	"confit/kubectl-confit/pods"
)

// Object is a ConfigMap or Secret on its way to the API server.
type Object struct {
	pods.Object
	Given  *unstructured.Unstructured // as the file has it
	Before *unstructured.Unstructured // as the server had it; nil: it wasn't there
	Merged *unstructured.Unstructured // what the server makes of both
	After  *unstructured.Unstructured // as it was applied; nil: it wasn't
	Same   bool                       // After is Before, and nothing was written: the file has what is there
	Unsure bool                       // whether it was applied nobody knows, as the server went away
	Undone bool                       // After was taken back
	Back   *unstructured.Unstructured // what is there since then; nil: nothing

	owners []metav1.ManagedFieldsEntry // of Before, once those of kubectl apply are the manager's
}

// Read takes the objects that were found in files, all of one namespace: the one that is asked for, if fixed says that somebody
// did, else the one that they name, else the one that is asked for. All that is wrong comes at once, each line with its file.
func Read(infos []*resource.Info, namespace string, fixed bool) (objects []*Object, in string, err error) {
	var errs []error
	for _, info := range infos {
		u, ok := info.Object.(*unstructured.Unstructured)
		if !ok {
			continue // Flatten has taken lists apart
		}
		o, err := read(u)
		if err == nil && slices.ContainsFunc(objects, func(other *Object) bool { return other.Object == o.Object }) {
			err = fmt.Errorf("%s is there twice", o)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", info.Source, err))
			continue
		}
		objects = append(objects, o)
	}
	in, wrong := namespaceOf(objects, namespace, fixed)
	if err := errors.Join(append(errs, wrong)...); err != nil {
		return nil, "", err
	}
	if len(objects) == 0 {
		return nil, "", errors.New("there is no ConfigMap and no Secret")
	}
	for _, o := range objects {
		o.Given.SetNamespace(in)
	}
	return objects, in, nil
}

// read holds that an object is one that can be applied.
func read(u *unstructured.Unstructured) (*Object, error) {
	o := pods.Object{Kind: u.GetKind(), Name: u.GetName()}
	if u.GetAPIVersion() != "v1" || o.Kind != pods.ConfigMap && o.Kind != pods.Secret {
		return nil, fmt.Errorf("%s %q is neither a ConfigMap nor a Secret: kubectl apply takes it", o.Kind, o.Name)
	}
	if o.Name == "" {
		return nil, fmt.Errorf("%s without a name: write metadata.name", o.Kind)
	}
	if len(u.GetManagedFields()) > 0 {
		return nil, fmt.Errorf("%s has managedFields, which are the server's: take them out, as kubectl get -o yaml does by itself", o)
	}
	errs := texts(u, "data", o.Kind == pods.Secret)
	errs = append(errs, texts(u, "binaryData", true)...)
	errs = append(errs, texts(u, "stringData", false)...)
	if len(errs) == 0 {
		errs = append(errs, strict(u))
	}
	if err := errors.Join(errs...); err != nil {
		return nil, fmt.Errorf("%s: %s", o, strings.ReplaceAll(err.Error(), "\n", "; "))
	}
	return &Object{Object: o, Given: u}, nil
}

// strict holds that an object has no field that its kind lacks. What it says names fields alone, as texts has looked at the
// values.
func strict(u *unstructured.Unstructured) error {
	var into any = &corev1.ConfigMap{}
	if u.GetKind() == pods.Secret {
		into = &corev1.Secret{}
	}
	return runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(u.Object, into, true)
}

// namespaceOf is the one namespace of all objects.
func namespaceOf(objects []*Object, asked string, fixed bool) (string, error) {
	var named []string
	for _, o := range objects {
		in := o.Given.GetNamespace()
		if in == "" {
			in = asked
		}
		if !slices.Contains(named, in) {
			named = append(named, in)
		}
		if fixed && in != asked {
			return "", fmt.Errorf("%s is for the namespace %q, and -n says %q: leave one of the two out", o, in, asked)
		}
	}
	if len(named) > 1 {
		return "", fmt.Errorf("the objects are for the namespaces %s: apply those of one at a time", strings.Join(named, ", "))
	}
	if len(named) == 0 {
		return asked, nil
	}
	return named[0], nil
}

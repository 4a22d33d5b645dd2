package apply

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"confit/kubectl-confit/check"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
)

// typed is an object that the server has sent, so it can be read.
func typed[T any](u *unstructured.Unstructured) *T {
	t := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, t); err != nil {
		panic(err)
	}
	return t
}

// givenOf are the bytes that the server will have.
func givenOf(objects []*Object) check.Given {
	given := check.Given{}
	for _, o := range objects {
		if o.Kind == pods.Secret {
			given[o.Object] = typed[corev1.Secret](o.Merged).Data
		} else {
			given[o.Object] = pods.ConfigMapBytes(typed[corev1.ConfigMap](o.Merged))
		}
	}
	return given
}

// dataOf is what pods have to accept.
func dataOf(u *unstructured.Unstructured) *pods.Data {
	if u.GetKind() == pods.Secret {
		return pods.OfSecret(typed[corev1.Secret](u))
	}
	return pods.OfConfigMap(typed[corev1.ConfigMap](u))
}

// pinned are the objects as they were applied.
func pinned(objects []*Object) verdict.Objects {
	all := verdict.Objects{}
	for _, o := range objects {
		all[o.Object] = dataOf(o.After)
	}
	return all
}

// restored are those that were put back. One that was deleted has nothing to be accepted.
func restored(objects []*Object) verdict.Objects {
	all := verdict.Objects{}
	for _, o := range objects {
		if o.Back != nil {
			all[o.Object] = dataOf(o.Back)
		}
	}
	return all
}

package check

import (
	"errors"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/resource"

	"confit/kubectl-confit/pods"
)

// Read takes the ConfigMaps and Secrets that were found in manifests. others names what else is there, such as deployment/web.
// The errors come all at once, and none has a value of a key.
func Read(infos []*resource.Info, namespace string) (given Given, others []string, err error) {
	given = Given{}
	var errs []error
	for _, info := range infos {
		kind := info.Object.GetObjectKind().GroupVersionKind()
		o := pods.Object{Kind: kind.Kind, Name: info.Name}
		if kind.GroupVersion() != corev1.SchemeGroupVersion || (o.Kind != pods.ConfigMap && o.Kind != pods.Secret) {
			others = append(others, o.String())
			continue
		}
		keys, err := keysOf(info.Object, kind)
		switch own := namespaceOf(info.Object); {
		case err != nil:
			errs = append(errs, fmt.Errorf("cannot read %s in %s: it has a field of a type that no %s has", o, info.Source, o.Kind))
		case o.Name == "":
			errs = append(errs, fmt.Errorf("a %s in %s has no name", o.Kind, info.Source))
		case own != "" && own != namespace:
			errs = append(errs, fmt.Errorf("%s in %s is of namespace %q, and the pods are of %q: write -n %s", o, info.Source, own, namespace, own))
		case given[o] != nil:
			errs = append(errs, fmt.Errorf("%s is there twice, in %s, too", o, info.Source))
		default:
			given[o] = keys
		}
	}
	if len(given) == 0 && len(errs) == 0 {
		errs = append(errs, errors.New("there is no ConfigMap and no Secret"))
	}
	return given, others, errors.Join(errs...)
}

func namespaceOf(o runtime.Object) string {
	m, err := meta.Accessor(o)
	if err != nil {
		return ""
	}
	return m.GetNamespace()
}

// keysOf are the bytes of each key, as the API server would store them: stringData goes before data.
func keysOf(o runtime.Object, kind schema.GroupVersionKind) (map[string][]byte, error) {
	raw, ok := o.(*unstructured.Unstructured)
	if !ok {
		return nil, errors.New("it came with a type")
	}
	if kind.Kind == pods.ConfigMap {
		var c corev1.ConfigMap
		err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(raw.Object, &c, false)
		return pods.ConfigMapBytes(&c), err
	}
	var s corev1.Secret
	err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(raw.Object, &s, false)
	keys := map[string][]byte{}
	for key, value := range s.Data {
		keys[key] = value
	}
	for key, value := range s.StringData {
		keys[key] = []byte(value)
	}
	return keys, err
}

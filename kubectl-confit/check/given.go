package check

import (
	"errors"
	"fmt"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/cli-runtime/pkg/resource"

	"confit/kubectl-confit/pods"
)

// Read takes the ConfigMaps and Secrets that were found in manifests. others names what else is there, such as deployment/web.
// The errors come all at once, and none has a value of a key.
func Read(infos []*resource.Info, namespace string) (given Given, others []string, err error) {
	given = Given{}
	var errs []error
	for _, info := range infos {
		u, ok := info.Object.(*unstructured.Unstructured)
		if !ok {
			continue // Flatten has taken lists apart
		}
		o := pods.Object{Kind: u.GetKind(), Name: info.Name}
		if u.GetAPIVersion() != "v1" || (o.Kind != pods.ConfigMap && o.Kind != pods.Secret) {
			others = append(others, o.String())
			continue
		}
		keys, err := pods.Bytes(u)
		switch own := u.GetNamespace(); {
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

package apply

import (
	"fmt"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"confit/kubectl-confit/pods"
)

// TestKept: who keeps an object is named, by each mark, in the object as it is and as the file has it.
func TestKept(t *testing.T) {
	for mark, want := range map[string]string{
		"label app=web": "",
		"label app.kubernetes.io/managed-by=kustomize":         "",
		"label app.kubernetes.io/instance=web":                 "",
		"manager kubectl":                                      "",
		"manager kubectl-client-side-apply":                    "",
		"label app.kubernetes.io/managed-by=Helm":              "Helm keeps it, says its label app.kubernetes.io/managed-by=Helm: run helm upgrade",
		"annotation meta.helm.sh/release-name=web":             "Helm keeps it, says its annotation meta.helm.sh/release-name: run helm upgrade",
		"manager helm":                                         `Helm keeps it, says its field manager "helm": run helm upgrade`,
		"label argocd.argoproj.io/instance=web":                "Argo CD keeps it, says its label argocd.argoproj.io/instance: commit the edit where Argo CD reads it",
		"annotation argocd.argoproj.io/tracking-id=web:/a:b/c": "Argo CD keeps it, says its annotation argocd.argoproj.io/tracking-id: commit the edit where Argo CD reads it",
		"manager argocd-controller":                            `Argo CD keeps it, says its field manager "argocd-controller": commit the edit where Argo CD reads it`,
		"label kustomize.toolkit.fluxcd.io/name=web":           "Flux keeps it, says its label kustomize.toolkit.fluxcd.io/name: commit the edit where Flux reads it",
		"label helm.toolkit.fluxcd.io/name=web":                "Flux keeps it, says its label helm.toolkit.fluxcd.io/name: commit the edit where Flux reads it",
		"manager kustomize-controller":                         `Flux keeps it, says its field manager "kustomize-controller": commit the edit where Flux reads it`,
		"manager helm-controller":                              `Flux keeps it, says its field manager "helm-controller": commit the edit where Flux reads it`,
	} {
		plain, marked := &unstructured.Unstructured{Object: map[string]any{}}, markedWith(mark)
		o := &Object{Object: pods.Object{Kind: pods.ConfigMap, Name: "web"}}
		for _, c := range []struct{ before, given *unstructured.Unstructured }{{marked, plain}, {nil, marked}, {plain, marked}} {
			o.Before, o.Given = c.before, c.given
			said := fmt.Sprint(o.kept())
			if want == "" && said != "<nil>" || want != "" && !strings.HasPrefix(said, "cannot apply configmap/web: "+want+", ") {
				t.Errorf("%s: got %s, want %s", mark, said, want)
			}
		}
	}
}

func markedWith(mark string) *unstructured.Unstructured {
	u := &unstructured.Unstructured{Object: map[string]any{}}
	kind, text, _ := strings.Cut(mark, " ")
	key, value, _ := strings.Cut(text, "=")
	switch kind {
	case "label":
		u.SetLabels(map[string]string{key: value})
	case "annotation":
		u.SetAnnotations(map[string]string{key: value})
	default:
		u.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: text}})
	}
	return u
}

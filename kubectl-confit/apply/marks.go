package apply

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// keeper is a program that keeps objects as it has them, and would take an edit back.
type keeper struct {
	name        string
	labels      []string // KEY or KEY=VALUE, as in annotations
	annotations []string
	managers    []string // of fields
	instead     string
}

var keepers = []keeper{
	{
		name:        "Argo CD",
		labels:      []string{"argocd.argoproj.io/instance"},
		annotations: []string{"argocd.argoproj.io/tracking-id"},
		managers:    []string{"argocd-controller", "argocd-application-controller"},
		instead:     "commit the edit where Argo CD reads it",
	},
	{
		name:     "Flux",
		labels:   []string{"kustomize.toolkit.fluxcd.io/name", "helm.toolkit.fluxcd.io/name"},
		managers: []string{"kustomize-controller", "helm-controller"},
		instead:  "commit the edit where Flux reads it",
	},
	{
		name:        "Helm",
		labels:      []string{"app.kubernetes.io/managed-by=Helm"},
		annotations: []string{"meta.helm.sh/release-name"},
		managers:    []string{"helm", "Helm"},
		instead:     "run helm upgrade",
	},
}

// kept says no to an object that somebody else keeps: by the marks of the object as it is, and as the file has it.
func (o *Object) kept() error {
	for _, u := range []*unstructured.Unstructured{o.Before, o.Given} {
		if u == nil {
			continue
		}
		for _, k := range keepers {
			if mark := k.mark(u); mark != "" {
				return fmt.Errorf("cannot apply %s: %s keeps it, says its %s: %s, then kubectl confit sync %s and wait %s", o, k.name, mark, k.instead, o, o)
			}
		}
	}
	return nil
}

// mark is the one by which an object is the keeper's; "" if it isn't.
func (k keeper) mark(u *unstructured.Unstructured) string {
	if mark := among(k.labels, u.GetLabels()); mark != "" {
		return "label " + mark
	}
	if mark := among(k.annotations, u.GetAnnotations()); mark != "" {
		return "annotation " + mark
	}
	for _, entry := range u.GetManagedFields() {
		for _, manager := range k.managers {
			if entry.Manager == manager {
				return fmt.Sprintf("field manager %q", manager)
			}
		}
	}
	return ""
}

// among is the first mark that is there.
func among(marks []string, there map[string]string) string {
	for _, mark := range marks {
		key, want, valued := strings.Cut(mark, "=")
		if value, has := there[key]; has && (!valued || value == want) {
			return mark
		}
	}
	return ""
}

package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"confit/confitctl/kube"
	"confit/confitctl/lease"
)

// Rollout is the roll-out whose record a Lease of the namespace holds. It sends nothing yet.
func (c *Client) Rollout(name string) (*lease.Store, error) {
	return lease.Open(kube.At(c.config, c.Namespace), name)
}

// leaseVariable is that of confitctl's --lease.
const leaseVariable = "CONFITCTL_LEASE"

// LeaseOf is the Lease by which the pods of a workload, KIND/NAME, roll out: their template says so.
func (c *Client) LeaseOf(ctx context.Context, workload string) (string, error) {
	found, err := c.Find(ctx, []string{workload})
	if err != nil {
		return "", err
	}
	var names []string
	for _, w := range found {
		names = append(names, leasesIn(w.Raw)...)
	}
	slices.Sort(names)
	switch names = slices.Compact(names); len(names) {
	case 1:
		return names[0], nil
	case 0:
		return "", fmt.Errorf("cannot tell the Lease of %s: its template has no container with the variable %s: write {name: %s, value: NAME} into env of the one with the gate, or lease/NAME here",
			workload, leaseVariable, leaseVariable)
	}
	return "", fmt.Errorf("cannot tell the Lease of %s: its containers have several: write one, lease/%s", workload, strings.Join(names, " or lease/"))
}

// leasesIn are the values of the variable in a pod, or in the template of a workload.
func leasesIn(raw *unstructured.Unstructured) (names []string) {
	for _, path := range [][]string{{"spec"}, {"spec", "template", "spec"}} {
		var pod corev1.PodSpec
		spec, _, _ := unstructured.NestedMap(raw.Object, path...)
		if runtime.DefaultUnstructuredConverter.FromUnstructured(spec, &pod) != nil {
			continue // the one that isn't a pod's
		}
		for _, container := range slices.Concat(pod.InitContainers, pod.Containers) {
			for _, e := range container.Env {
				if e.Name == leaseVariable && e.Value != "" {
					names = append(names, e.Value)
				}
			}
		}
	}
	return names
}

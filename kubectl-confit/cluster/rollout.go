package cluster

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"confit/confitctl/kube"
	"confit/confitctl/lease"
	"confit/kubectl-confit/pods"
)

// Rollout is the rollout whose record a Lease of the namespace holds. It sends nothing yet.
func (c *Client) Rollout(name string) (*lease.Store, error) {
	at := kube.At(c.config, c.Namespace)
	if c.config != c.plain {
		at.Config.Timeout = c.config.Timeout // that of one try is its transport's
	}
	return lease.Open(at, name)
}

// LeaseOf is the Lease by which the pods of a workload, KIND/NAME, roll out: their template says so.
func (c *Client) LeaseOf(ctx context.Context, workload string) (string, error) {
	found, err := c.Find(ctx, []string{workload})
	if err != nil {
		return "", err
	}
	names := leasesIn(found[0].Raw)
	switch len(names) {
	case 1:
		return names[0], nil
	case 0:
		return "", fmt.Errorf("cannot tell the Lease of %s: its template has no container with the variable %s: write {name: %s, value: NAME} into env of the one with the gate, or lease/NAME here",
			workload, pods.LeaseVariable, pods.LeaseVariable)
	}
	return "", fmt.Errorf("cannot tell the Lease of %s: its containers have several: write one, lease/%s", workload, strings.Join(names, " or lease/"))
}

// leasesIn are those that a pod names, or the template of a workload.
func leasesIn(raw *unstructured.Unstructured) []string {
	object, is, _ := unstructured.NestedMap(raw.Object, "spec", "template")
	if !is {
		object = raw.Object
	}
	var pod corev1.Pod
	if runtime.DefaultUnstructuredConverter.FromUnstructured(object, &pod) != nil {
		return nil // it has none
	}
	return pods.Leases(&pod)
}

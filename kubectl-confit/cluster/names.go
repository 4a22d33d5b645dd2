package cluster

import (
	"context"
	"maps"
	"slices"

	coordination "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/metadata"

	"confit/confitctl/lease"
)

// Names are those of all objects of a kind, by any name that kubectl knows it by. Nothing else of them is sent, and of
// Secrets no value.
func (c *Client) Names(ctx context.Context, kind string) (names []string, err error) {
	mapper, err := c.getter.ToRESTMapper()
	if err != nil {
		return nil, err
	}
	of, err := mapper.ResourceFor(schema.ParseGroupResource(kind).WithVersion(""))
	if err != nil {
		return nil, err
	}
	return c.names(ctx, of, c.Namespace, whatever)
}

// Rollouts are the Leases that hold the record of a rollout.
func (c *Client) Rollouts(ctx context.Context) ([]string, error) {
	return c.names(ctx, coordination.SchemeGroupVersion.WithResource("leases"), c.Namespace, func(o *metav1.PartialObjectMetadata) bool {
		_, has := o.Annotations[lease.Annotation]
		return has
	})
}

// Namespaces are all that the cluster has.
func (c *Client) Namespaces(ctx context.Context) ([]string, error) {
	return c.names(ctx, schema.GroupVersionResource{Version: "v1", Resource: "namespaces"}, metav1.NamespaceAll, whatever)
}

func whatever(*metav1.PartialObjectMetadata) bool { return true }

// names are those of the objects that are meant.
func (c *Client) names(ctx context.Context, of schema.GroupVersionResource, namespace string, is func(*metav1.PartialObjectMetadata) bool) (names []string, err error) {
	client, err := metadata.NewForConfig(c.config)
	if err != nil {
		return nil, err
	}
	list, err := client.Resource(of).Namespace(namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, Problem("list", of.Resource, err)
	}
	for i := range list.Items {
		if is(&list.Items[i]) {
			names = append(names, list.Items[i].Name)
		}
	}
	return names, nil
}

// Contexts are those of the kubeconfig, sorted.
func (f *Flags) Contexts() ([]string, error) {
	config, err := f.config.ToRawKubeConfigLoader().RawConfig()
	return slices.Sorted(maps.Keys(config.Contexts)), err
}

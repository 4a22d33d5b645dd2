package snapshot

import (
	"context"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/metadata"

	"confit/confitctl/kube"
)

// Annotation names the configuration that an object holds, by its hash.
const Annotation = "confit/snapshot"

// Store is the objects of one fleet. It is safe for concurrent use.
type Store struct {
	whole            dynamic.Interface
	heads            metadata.Interface
	namespace, lease string
}

// Version is an object as it was read. It is what an update replaces.
type Version struct {
	object *unstructured.Unstructured
}

// Open makes the clients; it sends nothing yet.
func Open(c kube.Cluster, lease string) (*Store, error) {
	whole, err := dynamic.NewForConfig(c.Config)
	if err != nil {
		return nil, err
	}
	heads, err := metadata.NewForConfig(c.Config)
	return &Store{whole, heads, c.Namespace, lease}, err
}

// Hash is that of the configuration that an object holds; "": none. It reads the
// object's metadata alone, as the keys may be a megabyte.
func (s *Store) Hash(ctx context.Context, o Object) (string, error) {
	d := o.describe(s.namespace, s.lease)
	head, err := s.heads.Resource(resource(d.Resource)).Namespace(s.namespace).Get(ctx, d.Name, meta.GetOptions{})
	if err != nil {
		return "", d.Problem("get", err)
	}
	return head.Annotations[Annotation], nil
}

// Load reads an object.
func (s *Store) Load(ctx context.Context, o Object) (Version, error) {
	d := o.describe(s.namespace, s.lease)
	object, err := s.whole.Resource(resource(d.Resource)).Namespace(s.namespace).Get(ctx, d.Name, meta.GetOptions{})
	return Version{object}, d.Problem("get", err)
}

// Save replaces a version by what it is with a volume of a configuration. Its
// error is a conflict if that isn't the current version any more.
func (s *Store) Save(ctx context.Context, o Object, v Version, volume Volume, hash string) error {
	next := v.object.DeepCopy()
	o.fill(next.Object, volume, hash)
	annotations := next.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[Annotation] = hash
	next.SetAnnotations(annotations)
	d := o.describe(s.namespace, s.lease)
	_, err := s.whole.Resource(resource(d.Resource)).Namespace(s.namespace).Update(ctx, next, meta.UpdateOptions{})
	return d.Problem("update", err)
}

func resource(name string) schema.GroupVersionResource {
	return schema.GroupVersionResource{Version: "v1", Resource: name}
}

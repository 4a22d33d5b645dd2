// Package lease keeps the record of a roll-out in one annotation of a
// Kubernetes Lease.
//
// It guarantees that an update is stored only if nobody changed the Lease since
// it was read, that a request ends after ten seconds, and that every error says
// whether it helps to ask again. It never creates or deletes a Lease: the
// manifest makes it, and whoever uses it needs get and update on that one name.
//
// It knows nothing of what a record means. Nor does it repeat anything: when to
// ask again is the caller's decision.
package lease

import (
	"context"
	"time"

	coordination "k8s.io/api/coordination/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	"confit/confitctl/rollout"
)

// Annotation is where the record stands.
const Annotation = "confit/rollout"

// timeout bounds one request. It is well below the 30 s by which a hold
// outlives its bound, so an answer that comes in still counts.
const timeout = 10 * time.Second

// Store is one Lease. It is safe for concurrent use.
type Store struct {
	client          rest.Interface
	namespace, name string
}

// Version is a Lease as it was read. It is what an update replaces.
type Version struct {
	lease coordination.Lease
}

// UID tells one Lease from another of the same name.
func (v Version) UID() string { return string(v.lease.UID) }

// Open makes the client for a Lease; it sends nothing yet. The scheme holds
// just the one group: with all of them the program would be three times as
// large.
func Open(c *rest.Config, namespace, name string) (*Store, error) {
	scheme := runtime.NewScheme()
	meta.AddToGroupVersion(scheme, coordination.SchemeGroupVersion)
	if err := coordination.AddToScheme(scheme); err != nil {
		return nil, err
	}
	c = rest.CopyConfig(c)
	c.GroupVersion, c.APIPath = &coordination.SchemeGroupVersion, "/apis"
	c.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	c.Timeout = timeout
	c.QPS = -1 // the callers keep their distance
	c.WarningHandler = rest.NoWarnings{}
	client, err := rest.RESTClientFor(c)
	if err != nil {
		return nil, err
	}
	return &Store{client, namespace, name}, nil
}

// Load reads the record and the version that holds it.
func (s *Store) Load(ctx context.Context) (rollout.Record, Version, error) {
	var v Version
	err := s.client.Get().Namespace(s.namespace).Resource("leases").Name(s.name).MaxRetries(0).Do(ctx).Into(&v.lease)
	if err != nil {
		return rollout.Record{}, v, s.problem("get", err)
	}
	record, err := rollout.Decode(v.lease.Annotations[Annotation])
	return record, v, err
}

// Save replaces a version. Its error is a conflict if that isn't the current
// one any more. Without an answer it isn't known whether it was stored.
func (s *Store) Save(ctx context.Context, v Version, record rollout.Record) error {
	text, err := record.Encode()
	if err != nil {
		return err
	}
	next := v.lease.DeepCopy()
	meta.SetMetaDataAnnotation(&next.ObjectMeta, Annotation, text)
	err = s.client.Put().Namespace(s.namespace).Resource("leases").Name(s.name).MaxRetries(0).Body(next).Do(ctx).Error()
	return s.problem("update", err)
}

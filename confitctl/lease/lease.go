// Package lease keeps the record of a rollout in one annotation of a
// Kubernetes Lease.
//
// It guarantees that an update is stored only if nobody changed the Lease since
// it was read, and that every error says whether it helps to ask again. It never
// creates or deletes a Lease: the manifest makes it, and whoever uses it needs
// get and update on that one name.
//
// It knows nothing of what a record means. Nor does it repeat anything: when to
// ask again is the caller's decision.
package lease

import (
	"context"
	"errors"
	"fmt"

	coordination "k8s.io/api/coordination/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/rest"

	"confit/confitctl/kube"
	"confit/confitctl/rollout"
)

// Annotation is where the record stands.
const Annotation = "confit/rollout"

// Store is one Lease, for gates, reports and people alike. It is safe for concurrent use.
type Store struct {
	client rest.Interface
	object kube.Object
}

// Version is a Lease as it was read. It is what an update replaces.
type Version struct {
	lease coordination.Lease
	date  int64
}

// Date is when the server says that it was read, in seconds since 1970; 0: it didn't
// say, or the client wasn't [Dated].
func (v Version) Date() int64 { return v.date }

// UID tells one Lease from another of the same name.
func (v Version) UID() string { return string(v.lease.UID) }

// Open makes the client for a Lease; it sends nothing yet. The scheme holds
// just the one group: with all of them the program would be three times as
// large.
func Open(cluster kube.Cluster, name string) (*Store, error) {
	scheme := runtime.NewScheme()
	meta.AddToGroupVersion(scheme, coordination.SchemeGroupVersion)
	if err := coordination.AddToScheme(scheme); err != nil {
		return nil, err
	}
	c := Dated(cluster.Config)
	c.GroupVersion, c.APIPath = &coordination.SchemeGroupVersion, "/apis"
	c.NegotiatedSerializer = serializer.NewCodecFactory(scheme).WithoutConversion()
	client, err := rest.RESTClientFor(c)
	if err != nil {
		return nil, err
	}
	return New(client, cluster.Namespace, name), nil
}

// New is a Lease by the client of somebody else, such as a plug-in of kubectl. It has to
// be one for the group coordination.k8s.io/v1. With a configuration that is [Dated]
// the record gets times.
func New(client rest.Interface, namespace, name string) *Store {
	return &Store{client, kube.Object{
		Group: coordination.GroupName, Resource: "leases", Kind: "lease", Namespace: namespace, Name: name,
	}}
}

// Load reads the record and the version that holds it.
func (s *Store) Load(ctx context.Context) (rollout.Record, Version, error) {
	var v Version
	err := s.about(s.client.Get()).Do(context.WithValue(ctx, dateKey{}, &v.date)).Into(&v.lease)
	if err != nil {
		return rollout.Record{}, v, s.object.Problem("get", err)
	}
	record, err := rollout.Decode(v.lease.Annotations[Annotation])
	return record, v, s.unreadable(err)
}

// unreadable says where a record is that can't be read, and what helps; nil for
// nil.
func (s *Store) unreadable(err error) error {
	o := s.object
	switch {
	case err == nil:
		return nil
	case errors.Is(err, rollout.ErrNewer):
		return fmt.Errorf("lease %q in namespace %q: %w; update this one", o.Name, o.Namespace, err)
	}
	return fmt.Errorf("lease %q in namespace %q: %w; kubectl annotate lease %s -n %s %s- removes it, and the rollout begins anew, with a canary",
		o.Name, o.Namespace, err, o.Name, o.Namespace, Annotation)
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
	return s.object.Problem("update", s.about(s.client.Put()).Body(next).Do(ctx).Error())
}

// about is a request about the Lease.
func (s *Store) about(r *rest.Request) *rest.Request {
	return r.Namespace(s.object.Namespace).Resource(s.object.Resource).Name(s.object.Name).MaxRetries(0)
}

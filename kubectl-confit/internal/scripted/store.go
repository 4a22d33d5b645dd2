package scripted

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
)

// store holds the objects, and all that ever happened to them. Objects in it are never changed.
type store struct {
	lock    sync.Mutex
	version int // the last resourceVersion
	objects map[key]runtime.Object
	events  []event
	changed chan struct{} // is closed at the next event
}

type key struct{ resource, namespace, name string }

type event struct {
	version int
	kind    watch.EventType
	key     key
	object  runtime.Object
}

func newStore() *store {
	return &store{version: 1, objects: map[key]runtime.Object{}, changed: make(chan struct{})}
}

// put takes an object, which is the store's from then on.
func (s *store) put(o runtime.Object) error {
	gvk, m, err := describe(o)
	if err != nil {
		return err
	}
	k, err := keyOf(gvk.Kind, m)
	if err != nil {
		return err
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	kind := watch.Added
	if old, there := s.objects[k]; there {
		kind = watch.Modified
		was, _ := meta.Accessor(old) // it has one, or it would not be here
		m.SetUID(cmp.Or(m.GetUID(), was.GetUID()))
	}
	s.version++
	if m.GetUID() == "" {
		m.SetUID(types.UID(fmt.Sprintf("uid-%d", s.version)))
	}
	if m.GetCreationTimestamp().Time.IsZero() {
		m.SetCreationTimestamp(metav1.Now())
	}
	s.happen(kind, k, o, m)
	s.objects[k] = o
	return nil
}

// change changes an object that is there, and says whether it was.
func (s *store) change(k key, change func(runtime.Object)) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	old, there := s.objects[k]
	if !there {
		return false
	}
	o := old.DeepCopyObject()
	change(o)
	m, _ := meta.Accessor(o)
	s.version++
	s.happen(watch.Modified, k, o, m)
	s.objects[k] = o
	return true
}

// remove takes an object away, and says whether it was there.
func (s *store) remove(k key) bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	old, there := s.objects[k]
	if !there {
		return false
	}
	gone := old.DeepCopyObject()
	m, _ := meta.Accessor(gone)
	delete(s.objects, k)
	s.version++
	s.happen(watch.Deleted, k, gone, m)
	return true
}

func (s *store) happen(kind watch.EventType, k key, o runtime.Object, m metav1.Object) {
	m.SetResourceVersion(strconv.Itoa(s.version))
	s.events = append(s.events, event{s.version, kind, k, o})
	close(s.changed)
	s.changed = make(chan struct{})
}

func (s *store) get(k key) runtime.Object {
	s.lock.Lock()
	defer s.lock.Unlock()
	if o, there := s.objects[k]; there {
		return o.DeepCopyObject()
	}
	return nil
}

// list is what a selection has, in the order of names, and the version of the whole.
func (s *store) list(sel selection) (list []runtime.Object, version int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	var keys []key
	for k, o := range s.objects {
		if sel.matches(k, o) {
			keys = append(keys, k)
		}
	}
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(a.namespace, b.namespace), cmp.Compare(a.name, b.name))
	})
	for _, k := range keys {
		list = append(list, s.objects[k])
	}
	return list, s.version
}

// since are the events after a version, the last version, and what is closed when there is another.
func (s *store) since(version int) (events []event, last int, more <-chan struct{}) {
	s.lock.Lock()
	defer s.lock.Unlock()
	from, _ := slices.BinarySearchFunc(s.events, version+1, func(e event, v int) int { return e.version - v })
	return s.events[from:len(s.events):len(s.events)], s.version, s.changed
}

// describe stamps an object with its kind.
func describe(o runtime.Object) (kind metav1.GroupVersionKind, m metav1.Object, err error) {
	kinds, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		return kind, nil, err
	}
	o.GetObjectKind().SetGroupVersionKind(kinds[0])
	m, err = meta.Accessor(o)
	if err == nil && m.GetNamespace() == "" {
		m.SetNamespace("default")
	}
	return metav1.GroupVersionKind(kinds[0]), m, err
}

func keyOf(kind string, m metav1.Object) (key, error) {
	for _, r := range resources {
		if r.kind == kind {
			return key{r.name, m.GetNamespace(), m.GetName()}, nil
		}
	}
	return key{}, fmt.Errorf("no test needs a %s so far: add it to resources", kind)
}

package scripted

import (
	"errors"
	"io"
	"net/http"
	"strings"

	api "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/testing"
	"k8s.io/utils/ptr"
)

// change creates, updates, patches or applies an object, and notes who owns which fields. client-go's tracker of objects does
// that, with Kubernetes' own code; it knows no versions.
func (s *Server) change(w http.ResponseWriter, r *http.Request, of resource, k key) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	old, code := s.store.get(k), http.StatusOK
	if old == nil {
		code = http.StatusCreated
	}
	changed, err := changed(r, of, k, old, body)
	if err != nil {
		return err
	}
	m, err := meta.Accessor(changed)
	if err != nil {
		return err
	}
	if r.Method == http.MethodPost && s.store.get(key{k.resource, k.namespace, m.GetName()}) != nil {
		return api.NewAlreadyExists(schema.GroupResource{Group: of.group, Resource: of.name}, m.GetName())
	}
	if err = conflict(of, old, m.GetResourceVersion()); err == nil && r.URL.Query().Get("dryRun") == "" {
		err = s.store.put(changed)
	}
	if err == nil {
		write(w, code, changed)
	}
	return err
}

// changed is an object after a request.
func changed(r *http.Request, of resource, k key, old runtime.Object, body []byte) (runtime.Object, error) {
	tracker := testing.NewFieldManagedObjectTracker(scheme.Scheme, scheme.Codecs.UniversalDecoder(), applyconfigurations.NewTypeConverter(scheme.Scheme))
	if old != nil {
		if err := tracker.Add(old); err != nil {
			return nil, err
		}
	}
	gvr, by := of.gvk().GroupVersion().WithResource(of.name), r.URL.Query().Get("fieldManager")
	if by == "" {
		by, _, _ = strings.Cut(r.UserAgent(), "/")
	}
	var action testing.Action
	if r.Method == http.MethodPatch {
		kind, _, _ := strings.Cut(r.Header.Get("Content-Type"), ";")
		action = testing.NewPatchActionWithOptions(gvr, k.namespace, k.name, types.PatchType(kind), body,
			metav1.PatchOptions{FieldManager: by, Force: ptr.To(r.URL.Query().Get("force") == "true")})
	} else {
		given, err := decode(of, body)
		if err != nil {
			return nil, err
		}
		m, err := meta.Accessor(given)
		if err != nil {
			return nil, err
		}
		m.SetNamespace(k.namespace)
		k.name = m.GetName()
		if action = testing.NewUpdateActionWithOptions(gvr, k.namespace, given, metav1.UpdateOptions{FieldManager: by}); r.Method == http.MethodPost {
			action = testing.NewCreateActionWithOptions(gvr, k.namespace, given, metav1.CreateOptions{FieldManager: by})
		}
	}
	if _, _, err := testing.ObjectReaction(tracker)(action); err != nil {
		return nil, err
	}
	made, err := tracker.Get(gvr, k.namespace, k.name)
	if err == nil {
		made.GetObjectKind().SetGroupVersionKind(of.gvk())
	}
	return made, err
}

// conflict refuses a change of a version that isn't there any more.
func conflict(of resource, old runtime.Object, version string) error {
	if old == nil || version == "" {
		return nil
	}
	m, err := meta.Accessor(old)
	if err == nil && m.GetResourceVersion() != version {
		err = api.NewConflict(schema.GroupResource{Group: of.group, Resource: of.name}, m.GetName(), errModified)
	}
	return err
}

var errModified = errors.New("the object has been modified; please apply your changes to the latest version and try again")

func decode(of resource, body []byte) (runtime.Object, error) {
	kind := of.gvk()
	o, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, &kind, nil)
	if err != nil {
		return nil, api.NewBadRequest(err.Error())
	}
	return o, nil
}

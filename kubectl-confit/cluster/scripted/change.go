package scripted

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"

	api "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/managedfields"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/applyconfigurations"
	"k8s.io/client-go/kubernetes/scheme"
)

// change creates, updates, patches or applies an object, and notes who owns which fields with Kubernetes' own code.
func (s *Server) change(w http.ResponseWriter, r *http.Request, of resource, k key) error {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	old := s.store.get(k)
	kind := types.PatchType(strings.Split(r.Header.Get("Content-Type"), ";")[0])
	applies := r.Method == http.MethodPatch && kind == types.ApplyYAMLPatchType
	if old == nil && !applies && r.Method != http.MethodPost {
		return notFound(of, k)
	}
	code := http.StatusOK
	if old == nil {
		code = http.StatusCreated
	}
	var changed runtime.Object
	switch {
	case applies:
		changed, err = apply(of, old, body, r.URL.Query())
	case r.Method == http.MethodPatch:
		changed, err = patched(of, old, kind, body)
	default:
		changed, err = decode(of, body)
	}
	if err != nil {
		return err
	}
	m, err := meta.Accessor(changed)
	if err != nil {
		return err
	}
	m.SetNamespace(k.namespace)
	if k.name = m.GetName(); r.Method == http.MethodPost && s.store.get(k) != nil {
		return api.NewAlreadyExists(schema.GroupResource{Group: of.group, Resource: of.name}, k.name)
	}
	if err := conflict(of, old, m.GetResourceVersion()); err != nil {
		return err
	}
	if !applies {
		changed, err = managed(of, old, changed, r)
	}
	if err == nil && r.URL.Query().Get("dryRun") == "" {
		err = s.store.put(changed)
	}
	if err == nil {
		write(w, code, changed)
	}
	return err
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

var errModified = &modified{}

type modified struct{}

func (*modified) Error() string {
	return "the object has been modified; please apply your changes to the latest version and try again"
}

func decode(of resource, body []byte) (runtime.Object, error) {
	kind := of.gvk()
	o, _, err := scheme.Codecs.UniversalDeserializer().Decode(body, &kind, nil)
	if err != nil {
		return nil, api.NewBadRequest(err.Error())
	}
	return o, nil
}

// patched is an object with a patch.
func patched(of resource, old runtime.Object, kind types.PatchType, patch []byte) (runtime.Object, error) {
	before, err := json.Marshal(old)
	if err != nil {
		return nil, err
	}
	var after []byte
	switch kind {
	case types.MergePatchType:
		after, err = jsonpatch.MergePatch(before, patch)
	case types.StrategicMergePatchType:
		after, err = strategicpatch.StrategicMergePatch(before, patch, old)
	case types.JSONPatchType:
		var p jsonpatch.Patch
		if p, err = jsonpatch.DecodePatch(patch); err == nil {
			after, err = p.Apply(before)
		}
	default:
		return nil, api.NewGenericServerResponse(http.StatusUnsupportedMediaType, "patch", schema.GroupResource{Resource: of.name}, "", string(kind), 0, true)
	}
	if err != nil {
		return nil, api.NewBadRequest(err.Error())
	}
	return decode(of, after)
}

func manager(of resource) (*managedfields.FieldManager, error) {
	return managedfields.NewDefaultFieldManager(applyconfigurations.NewTypeConverter(scheme.Scheme), scheme.Scheme, scheme.Scheme, scheme.Scheme,
		of.gvk(), of.gvk().GroupVersion(), "", nil)
}

// apply is server-side apply.
func apply(of resource, old runtime.Object, body []byte, q url.Values) (runtime.Object, error) {
	m, err := manager(of)
	if err != nil {
		return nil, err
	}
	text, err := yaml.ToJSON(body)
	if err != nil {
		return nil, api.NewBadRequest(err.Error())
	}
	given, err := decode(of, text)
	if err != nil {
		return nil, err
	}
	if old == nil {
		if old, err = scheme.Scheme.New(of.gvk()); err != nil {
			return nil, err
		}
		old.GetObjectKind().SetGroupVersionKind(of.gvk())
	}
	made, err := m.Apply(old, given, q.Get("fieldManager"), q.Get("force") == "true")
	if err != nil {
		return nil, err
	}
	made.GetObjectKind().SetGroupVersionKind(of.gvk())
	return made, nil
}

// managed notes who has changed what.
func managed(of resource, old, changed runtime.Object, r *http.Request) (runtime.Object, error) {
	m, err := manager(of)
	if err != nil {
		return nil, err
	}
	by := r.URL.Query().Get("fieldManager")
	if by == "" {
		by, _, _ = strings.Cut(r.UserAgent(), "/")
	}
	if old == nil {
		if old, err = scheme.Scheme.New(of.gvk()); err != nil {
			return nil, err
		}
	}
	return m.Update(old, changed, by)
}

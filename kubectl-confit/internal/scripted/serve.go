package scripted

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	corev1 "k8s.io/api/core/v1"
	api "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/utils/ptr"
)

// selection is what a request is about.
type selection struct {
	key
	labels labels.Selector
	fields fields.Selector
}

func (s selection) matches(k key, o runtime.Object) bool {
	m, err := meta.Accessor(o)
	known := fields.Set{"metadata.name": k.name, "metadata.namespace": k.namespace}
	if e, ok := o.(*corev1.Event); ok {
		known["involvedObject.name"], known["type"] = e.InvolvedObject.Name, e.Type
	}
	return err == nil && k.resource == s.resource && (s.namespace == "" || k.namespace == s.namespace) &&
		s.labels.Matches(labels.Set(m.GetLabels())) && s.fields.Matches(known)
}

// ServeHTTP answers as the API server does.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == "/version" {
		_ = json.NewEncoder(w).Encode(serverVersion) // the client's loss
		return
	}
	if found := discover(r.URL.Path); found != nil {
		write(w, http.StatusOK, found)
		return
	}
	if name, ok := strings.CutPrefix(r.URL.Path, "/api/v1/namespaces/"); ok && !strings.Contains(name, "/") {
		write(w, http.StatusOK, &corev1.Namespace{TypeMeta: metav1.TypeMeta{Kind: "Namespace", APIVersion: "v1"}, ObjectMeta: metav1.ObjectMeta{Name: name}})
		return // each is there
	}
	of, k, sub, err := parse(r.URL.Path)
	if err == nil {
		err = s.serve(w, r, of, k, sub)
	}
	if err != nil {
		refuse(w, err)
	}
}

// parse splits a path: /apis/GROUP/VERSION/namespaces/NAMESPACE/RESOURCE/NAME/SUBRESOURCE.
func parse(path string) (of resource, k key, sub string, err error) {
	parts := strings.Split(strings.Trim(path, "/"), "/")
	group := ""
	if parts[0] == "apis" && len(parts) > 1 {
		group, parts = parts[1], parts[1:]
	}
	if len(parts) > 4 && parts[2] == "namespaces" {
		k.namespace = parts[3]
		parts = append(parts[:2:2], parts[4:]...)
	}
	parts = append(parts, "", "", "", "")
	of, known := find(group, parts[1], parts[2])
	if !known {
		return of, k, "", api.NewNotFound(schema.GroupResource{Group: group, Resource: parts[2]}, path)
	}
	k.resource, k.name = of.name, parts[3]
	return of, k, parts[4], nil
}

// serve answers a request for a resource.
func (s *Server) serve(w http.ResponseWriter, r *http.Request, of resource, k key, sub string) error {
	verb, what := verbOf(r, k.name), of.name
	if sub != "" {
		what += "/" + sub
	}
	switch code := s.count(verb, what, k.name); {
	case code == Broken:
		_ = s.answer(httptest.NewRecorder(), r, of, k, sub) // nobody is told
		return refusal(http.StatusInternalServerError, verb, what, of, k)
	case code < 0:
		interrupt(code, func(w http.ResponseWriter) error { return s.answer(w, r, of, k, sub) })
	case code != 0:
		return refusal(code, verb, what, of, k)
	}
	return s.answer(w, r, of, k, sub)
}

// answer does what a request wants.
func (s *Server) answer(w http.ResponseWriter, r *http.Request, of resource, k key, sub string) error {
	q := r.URL.Query()
	verb, what := verbOf(r, k.name), of.name
	if sub != "" {
		what += "/" + sub
	}
	sel := selection{key: k}
	var wrong [2]error
	sel.labels, wrong[0] = labels.Parse(q.Get("labelSelector"))
	sel.fields, wrong[1] = fields.ParseSelector(q.Get("fieldSelector"))
	if err := errors.Join(wrong[:]...); err != nil {
		return api.NewBadRequest(err.Error())
	}
	switch {
	case sub == "exec", sub == "attach":
		return s.exec(w, r, k, sub == "attach")
	case sub == "log":
		return s.log(w, k)
	case sub != "" && sub != "status":
		return api.NewNotFound(schema.GroupResource{Resource: what}, k.name)
	case verb == "watch":
		return s.watch(w, r, of, sel)
	case verb == "list":
		return s.list(w, q, of, sel)
	case verb == "delete":
		return s.remove(w, r, of, k)
	case verb == "get":
		if o := s.store.get(k); o != nil {
			write(w, http.StatusOK, o)
			return nil
		}
		return notFound(of, k)
	}
	return s.change(w, r, of, k)
}

func verbOf(r *http.Request, name string) string {
	switch {
	case r.URL.Query().Get("watch") == "true" || r.URL.Query().Get("watch") == "1":
		return "watch"
	case r.Method == http.MethodGet && name == "":
		return "list"
	}
	return map[string]string{
		http.MethodGet: "get", http.MethodPost: "create", http.MethodPut: "update", http.MethodPatch: "patch", http.MethodDelete: "delete",
	}[r.Method]
}

func (s *Server) remove(w http.ResponseWriter, r *http.Request, of resource, k key) error {
	var options metav1.DeleteOptions
	body, err := io.ReadAll(r.Body)
	if len(body) > 0 && err == nil {
		_, _, err = scheme.Codecs.UniversalDeserializer().Decode(body, ptr.To(schema.FromAPIVersionAndKind("v1", "DeleteOptions")), &options)
	}
	if err != nil {
		return api.NewBadRequest(err.Error())
	}
	if p := options.Preconditions; p != nil {
		if err := conflict(of, s.store.get(k), ptr.Deref(p.ResourceVersion, "")); err != nil {
			return err
		}
	}
	if !s.store.remove(k) {
		return notFound(of, k)
	}
	write(w, http.StatusOK, &metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusSuccess})
	return nil
}

func notFound(of resource, k key) error {
	return api.NewNotFound(schema.GroupResource{Group: of.group, Resource: of.name}, k.name)
}

// who asks, as far as a refusal says.
const who = `User "jane"`

// refusal is an error as RBAC, or a server with another trouble, has it.
func refusal(code int, verb, what string, of resource, k key) error {
	if code == http.StatusForbidden {
		return api.NewForbidden(schema.GroupResource{Group: of.group, Resource: of.name}, k.name,
			fmt.Errorf("%s cannot %s resource %q in API group %q in the namespace %q", who, verb, what, of.group, k.namespace))
	}
	return api.NewGenericServerResponse(code, verb, schema.GroupResource{Group: of.group, Resource: of.name}, k.name, http.StatusText(code), 0, true)
}

func refuse(w http.ResponseWriter, err error) {
	var known api.APIStatus
	if !errors.As(err, &known) {
		known = api.NewInternalError(err)
	}
	status := known.Status()
	status.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
	write(w, int(status.Code), &status)
}

func write(w http.ResponseWriter, code int, o runtime.Object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(o) // the client's loss
}

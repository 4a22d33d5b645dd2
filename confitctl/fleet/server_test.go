package fleet

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/rest"

	"confit/confitctl/kube"
	"confit/confitctl/lease"
	"confit/confitctl/rollout"
	"confit/confitctl/snapshot"
)

// server speaks the API server's part, with optimistic concurrency.
type server struct {
	http     *httptest.Server
	mu       sync.Mutex
	objects  map[string]*unstructured.Unstructured               // by path
	version  int                                                 // of the last update
	held     map[string][]string                                 // hashes that the objects of a snapshot have held, by path
	requests []string                                            // METHOD NAME
	trouble  []func(w http.ResponseWriter, r *http.Request) bool // each for one request, before it is served; true: that was the answer
	before   func(r *http.Request)                               // called without the lock before each request
}

const (
	leasePath  = "/apis/coordination.k8s.io/v1/namespaces/prod/leases/web"
	configMaps = "/api/v1/namespaces/prod/configmaps/web-accepted-"
	secrets    = "/api/v1/namespaces/prod/secrets/web-accepted-"
)

func newServer(t *testing.T) *server {
	s := &server{objects: map[string]*unstructured.Unstructured{}, held: map[string][]string{}}
	s.make(leasePath, "coordination.k8s.io/v1", "Lease", nil)
	s.http = httptest.NewServer(s)
	t.Cleanup(s.http.Close)
	return s
}

// make is what the manifest does.
func (s *server) make(path, version, kind string, fields map[string]any) {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": version, "kind": kind}}
	maps.Copy(object.Object, fields)
	object.SetName(filepath.Base(path))
	object.SetNamespace("prod")
	object.SetUID("1")
	object.SetLabels(map[string]string{"app": "web"})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.store(path, object)
}

// store is called with the lock.
func (s *server) store(path string, object *unstructured.Unstructured) {
	s.version++
	object.SetResourceVersion(strconv.Itoa(s.version))
	s.objects[path] = object
	s.held[path] = append(s.held[path], object.GetAnnotations()[snapshot.Annotation])
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if s.before != nil {
		s.before(r)
	}
	s.mu.Lock()
	s.requests = append(s.requests, r.Method+" "+filepath.Base(r.URL.Path))
	var trouble func(http.ResponseWriter, *http.Request) bool
	if len(s.trouble) > 0 {
		trouble, s.trouble = s.trouble[0], s.trouble[1:]
	}
	s.mu.Unlock()
	if trouble != nil && trouble(w, r) {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch object := s.objects[r.URL.Path]; {
	case object == nil:
		refuse(w, http.StatusNotFound, meta.StatusReasonNotFound)
	case r.Method == http.MethodPut:
		s.put(w, r)
	default:
		answer(w, object)
	}
}

func (s *server) put(w http.ResponseWriter, r *http.Request) {
	next := &unstructured.Unstructured{}
	body, _ := io.ReadAll(r.Body)
	switch err := next.UnmarshalJSON(body); {
	case err != nil:
		refuse(w, http.StatusBadRequest, meta.StatusReasonBadRequest)
	case next.GetResourceVersion() != s.objects[r.URL.Path].GetResourceVersion():
		refuse(w, http.StatusConflict, meta.StatusReasonConflict)
	default:
		s.store(r.URL.Path, next)
		answer(w, next)
	}
}

func answer(w http.ResponseWriter, object *unstructured.Unstructured) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object.Object)
}

// refuse answers as the API server does, with an object.
func refuse(w http.ResponseWriter, code int, reason meta.StatusReason) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(meta.Status{
		TypeMeta: meta.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: meta.StatusFailure,
		Code: int32(code), Reason: reason, Message: fmt.Sprintf("says the server: %s", reason),
	})
}

// fails makes the next n requests end in a status.
func (s *server) fails(n, code int, reason meta.StatusReason) {
	for range n {
		s.next(func(w http.ResponseWriter, _ *http.Request) bool { refuse(w, code, reason); return true })
	}
}

func (s *server) next(trouble func(w http.ResponseWriter, r *http.Request) bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.trouble = append(s.trouble, trouble)
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.requests)
}

func (s *server) cluster() kube.Cluster {
	return kube.Cluster{Config: &rest.Config{Host: s.http.URL, QPS: -1}, Namespace: "prod"}
}

func (s *server) open(t *testing.T) *lease.Store {
	store, err := lease.Open(s.cluster(), "web")
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// record is what is stored.
func (s *server) record(t *testing.T) rollout.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := rollout.Decode(s.objects[leasePath].GetAnnotations()[lease.Annotation])
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// edit changes what is stored behind everybody's back.
func (s *server) edit(t *testing.T, edit func(rollout.Record) rollout.Record) {
	text, err := edit(s.record(t)).Encode()
	if err != nil {
		t.Fatal(err)
	}
	s.write(text)
}

func (s *server) write(record string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := s.objects[leasePath].DeepCopy()
	next.SetAnnotations(map[string]string{lease.Annotation: record})
	s.store(leasePath, next)
}

package fleet

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"

	coordination "k8s.io/api/coordination/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"confit/confitctl/lease"
	"confit/confitctl/rollout"
)

// server speaks the API server's part: one Lease, with optimistic concurrency.
type server struct {
	http     *httptest.Server
	mu       sync.Mutex
	lease    coordination.Lease
	version  int
	requests []string
	trouble  []func(w http.ResponseWriter, r *http.Request) bool // each for one request, before it is served; true: that was the answer
	before   func()                                              // called without the lock before each PUT
}

const path = "/apis/coordination.k8s.io/v1/namespaces/prod/leases/web"

func newServer(t *testing.T) *server {
	s := &server{version: 1}
	s.lease.TypeMeta = meta.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"}
	s.lease.ObjectMeta = meta.ObjectMeta{Name: "web", Namespace: "prod", UID: "1", Labels: map[string]string{"app": "web"}}
	s.http = httptest.NewServer(s)
	t.Cleanup(s.http.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodPut && s.before != nil {
		s.before()
	}
	s.mu.Lock()
	s.requests = append(s.requests, r.Method)
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
	switch {
	case r.URL.Path != path:
		status(w, http.StatusNotFound, meta.StatusReasonNotFound)
	case r.Method == http.MethodPut:
		s.put(w, r)
	default:
		s.answer(w)
	}
}

func (s *server) put(w http.ResponseWriter, r *http.Request) {
	var next coordination.Lease
	body, _ := io.ReadAll(r.Body)
	switch err := json.Unmarshal(body, &next); {
	case err != nil:
		status(w, http.StatusBadRequest, meta.StatusReasonBadRequest)
	case next.ResourceVersion != strconv.Itoa(s.version):
		status(w, http.StatusConflict, meta.StatusReasonConflict)
	default:
		s.version++
		s.lease = next
		s.answer(w)
	}
}

func (s *server) answer(w http.ResponseWriter) {
	s.lease.ResourceVersion = strconv.Itoa(s.version)
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(s.lease)
}

// status answers as the API server does, with an object.
func status(w http.ResponseWriter, code int, reason meta.StatusReason) {
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
		s.next(func(w http.ResponseWriter, _ *http.Request) bool { status(w, code, reason); return true })
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

func (s *server) store(t *testing.T) *lease.Store {
	store, err := lease.Open(&rest.Config{Host: s.http.URL}, "prod", "web")
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// record is what is stored.
func (s *server) record(t *testing.T) rollout.Record {
	s.mu.Lock()
	defer s.mu.Unlock()
	r, err := rollout.Decode(s.lease.Annotations[lease.Annotation])
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
	s.mu.Lock()
	defer s.mu.Unlock()
	meta.SetMetaDataAnnotation(&s.lease.ObjectMeta, lease.Annotation, text)
	s.version++
}

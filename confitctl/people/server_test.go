package people

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strconv"
	"sync"
	"testing"
	"time"

	coordination "k8s.io/api/coordination/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"confit/confitctl/kube"
	"confit/confitctl/lease"
	"confit/confitctl/rollout"
)

// server is an API server with one Lease.
type server struct {
	http    *httptest.Server
	mu      sync.Mutex
	version int
	record  rollout.Record
	looks   int
	fails   []int // codes of the next answers
	mute    int   // after so many looks nobody has an answer, -1 from the first; 0: all have
}

func newServer(t *testing.T) *server {
	s := &server{}
	s.http = httptest.NewServer(s)
	t.Cleanup(s.http.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	w.Header().Set("Content-Type", "application/json")
	if len(s.fails) > 0 {
		refuse(w, s.fails[0])
		s.fails = s.fails[1:]
		return
	}
	if r.Method == http.MethodPut {
		s.put(w, r)
		return
	}
	if s.looks++; s.mute != 0 && s.looks > s.mute {
		s.mu.Unlock()
		<-r.Context().Done()
		s.mu.Lock()
		return
	}
	text, _ := s.record.Encode()
	_ = json.NewEncoder(w).Encode(coordination.Lease{TypeMeta: kind, ObjectMeta: meta.ObjectMeta{
		Name: "web", UID: "1", ResourceVersion: strconv.Itoa(s.version), Annotations: map[string]string{lease.Annotation: text},
	}})
}

var kind = meta.TypeMeta{APIVersion: "coordination.k8s.io/v1", Kind: "Lease"}

func refuse(w http.ResponseWriter, code int) {
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(meta.Status{
		TypeMeta: meta.TypeMeta{APIVersion: "v1", Kind: "Status"}, Status: meta.StatusFailure, Code: int32(code), Reason: reasons[code],
	})
}

var reasons = map[int]meta.StatusReason{
	http.StatusServiceUnavailable: meta.StatusReasonServiceUnavailable, http.StatusConflict: meta.StatusReasonConflict,
	http.StatusNotFound: meta.StatusReasonNotFound,
}

func (s *server) put(w http.ResponseWriter, r *http.Request) {
	var next coordination.Lease
	err := json.NewDecoder(r.Body).Decode(&next)
	if err != nil || next.ResourceVersion != strconv.Itoa(s.version) {
		refuse(w, http.StatusConflict)
		return
	}
	record, err := rollout.Decode(next.Annotations[lease.Annotation])
	if err != nil {
		refuse(w, http.StatusBadRequest)
		return
	}
	s.version, s.record = s.version+1, record
	_ = json.NewEncoder(w).Encode(next)
}

// edit is what somebody else does.
func (s *server) edit(change func(rollout.Record) rollout.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version, s.record = s.version+1, change(s.record)
}

// goes lets replicas ask and report: pod, hash and outcome of each; "": it goes on.
func (s *server) goes(steps ...[3]string) {
	s.edit(func(r rollout.Record) rollout.Record {
		for _, step := range steps {
			me := rollout.Replica{Revision: "r1", Pod: step[0], PodName: "web-" + step[0], Hash: step[1], Accepted: "A", Bound: time.Minute}
			if step[2] == "" {
				_, r = r.Gate(me, rollout.Policy{Canaries: 1}, rollout.Observer{})
				continue
			}
			r = r.Report(me, rollout.Outcome{Kind: rollout.Kind(step[2]), Step: "probation", Source: "mounted"}, 0)
		}
		return r
	})
}

// wasSeen waits until somebody has looked n times more.
func (s *server) wasSeen(t *testing.T, n int) {
	t.Helper()
	s.wasSeenTimes(t, s.seen()+n)
}

// wasSeenTimes waits until somebody has looked so often.
func (s *server) wasSeenTimes(t *testing.T, n int) {
	t.Helper()
	for end := time.Now().Add(time.Minute); s.seen() < n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nobody looks")
		}
	}
}

func (s *server) seen() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.looks
}

func (s *server) open(t *testing.T) *lease.Store {
	store, err := lease.Open(kube.At(&rest.Config{Host: s.http.URL}, "prod"), "web")
	if err != nil {
		t.Fatal(err)
	}
	return store
}

// bounded is a context that ends the test before it hangs.
func bounded(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

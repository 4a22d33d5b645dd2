// Package apiserver is the part of an API server that confitctl asks: objects that are read and replaced by name. It guarantees what
// a rollout rests on: an object is replaced only by whoever has read its last version, and only for whoever has the token. A test
// may forbid a verb, as a role does, and stop the server.
//
// Nothing else of Kubernetes is in it. The tests of make fleet and make e2e have a real one.
package apiserver

import (
	"encoding/json"
	"encoding/pem"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"path"
	"strconv"
	"strings"
	"sync"
)

// Token is what a client has to show.
const Token = "the-pod's-token"

// Namespace is the only one.
const Namespace = "prod"

// Server is one, with its objects.
type Server struct {
	mu      sync.Mutex
	objects map[string]Object // by path
	refused map[string]int    // VERB PATH → status
	version int
	http    *httptest.Server
}

// Object is one of Kubernetes', as JSON has it.
type Object = map[string]any

// The path of an object.
func Lease(name string) string {
	return "/apis/coordination.k8s.io/v1/namespaces/" + Namespace + "/leases/" + name
}
func ConfigMap(name string) string { return "/api/v1/namespaces/" + Namespace + "/configmaps/" + name }
func Secret(name string) string    { return "/api/v1/namespaces/" + Namespace + "/secrets/" + name }

// New is a server with these objects, as a manifest makes them. It doesn't listen yet.
func New(paths ...string) *Server {
	s := &Server{objects: map[string]Object{}, refused: map[string]int{}}
	for _, p := range paths {
		s.version++
		s.objects[p] = Object{"metadata": Object{
			"name": path.Base(p), "namespace": Namespace, "uid": fmt.Sprint("uid-", s.version), "resourceVersion": strconv.Itoa(s.version),
		}}
		switch { // v1 or GROUP/v1, and the kind
		case strings.Contains(p, "/leases/"):
			s.objects[p]["apiVersion"], s.objects[p]["kind"] = "coordination.k8s.io/v1", "Lease"
		case strings.Contains(p, "/secrets/"):
			s.objects[p]["apiVersion"], s.objects[p]["kind"] = "v1", "Secret"
		default:
			s.objects[p]["apiVersion"], s.objects[p]["kind"] = "v1", "ConfigMap"
		}
	}
	return s
}

// Start listens, and returns the certificate by which a client knows the server as 127.0.0.1. It may be started again when it was
// stopped.
func (s *Server) Start(l net.Listener) (authority []byte) {
	s.http = httptest.NewUnstartedServer(s)
	_ = s.http.Listener.Close()
	s.http.Listener = l
	s.http.StartTLS()
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.http.Certificate().Raw})
}

// Stop ends all connections.
func (s *Server) Stop() {
	s.http.CloseClientConnections()
	s.http.Close()
}

// Get is a copy of an object.
func (s *Server) Get(path string) (o Object) {
	s.mu.Lock()
	defer s.mu.Unlock()
	text, err := json.Marshal(s.objects[path])
	if err == nil {
		err = json.Unmarshal(text, &o)
	}
	if err != nil {
		panic(err) // it was made of JSON
	}
	return o
}

// Forbid answers a verb on an object as if no role allowed it, Break as if the server were ill, and Allow as it is.
func (s *Server) Forbid(verb, path string) { s.refuse(verb, path, http.StatusForbidden) }
func (s *Server) Break(verb, path string)  { s.refuse(verb, path, http.StatusServiceUnavailable) }
func (s *Server) Allow(verb, path string)  { s.refuse(verb, path, 0) }

func (s *Server) refuse(verb, path string, status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused[verb+" "+path] = status
}

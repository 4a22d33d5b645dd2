package scripted

import (
	"context"
	"io"
	"net/http"
	"path/filepath"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/clientcmd/api"
)

// Server is one API server. Its methods may be called from any goroutine.
type Server struct {
	t      testing.TB
	script Script
	file   string // the kubeconfig
	store  *store
	ended  context.Context
	line   *line

	lock     sync.Mutex
	refuse   func(verb, resource, name string) int
	requests map[string]int
	logs     map[[2]string]string
}

// Script runs a command in a container, and returns its exit code. Its context ends when a caller by WebSocket has gone,
// or the test has ended.
type Script func(ctx context.Context, e Exec) int

// Exec is a command in a container, as the server's script sees it.
type Exec struct {
	Namespace, Pod, Container string
	Words                     []string  // none: somebody attaches to what runs
	Stdin                     io.Reader // never nil
	Stdout, Stderr            io.Writer
}

// Start starts a server with objects, which ends with the test.
func Start(t testing.TB, script Script, objects ...runtime.Object) *Server {
	t.Helper()
	ended, end := context.WithCancel(context.Background())
	s := &Server{t: t, script: script, store: newStore(), ended: ended, requests: map[string]int{}}
	var err error
	if s.line, err = hold(); err == nil {
		err = s.line.begin(s)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		end()
		s.line.end()
		s.line.free()
	})
	s.file = filepath.Join(t.TempDir(), "kubeconfig")
	config := api.NewConfig()
	config.Clusters["scripted"] = &api.Cluster{Server: "http://" + s.line.address}
	config.Contexts["scripted"] = &api.Context{Cluster: "scripted", AuthInfo: "scripted", Namespace: "default"}
	config.AuthInfos["scripted"] = &api.AuthInfo{}
	config.CurrentContext = "scripted"
	if err := clientcmd.WriteToFile(*config, s.file); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECACHEDIR", filepath.Join(filepath.Dir(s.file), "cache")) // another server may have had this port
	s.Apply(objects...)
	return s
}

// Kubeconfig is a file by which kubectl and its plugins find the server.
func (s *Server) Kubeconfig() string { return s.file }

// Apply puts objects there, or others in their places, as they are but for a new resourceVersion. One without a namespace
// is in "default", and one without a uid gets one.
func (s *Server) Apply(objects ...runtime.Object) {
	s.t.Helper()
	for _, o := range objects {
		if err := s.store.put(o.DeepCopyObject()); err != nil {
			s.t.Error(err)
		}
	}
}

// ChangePod changes a pod, as a kubelet does. It says whether there is such a pod.
func (s *Server) ChangePod(namespace, name string, change func(*corev1.Pod)) bool {
	return s.store.change(key{"pods", namespace, name}, func(o runtime.Object) { change(o.(*corev1.Pod)) })
}

// Delete takes an object away: Delete("pods", "shop", "web-0").
func (s *Server) Delete(resource, namespace, name string) {
	s.store.remove(key{resource, namespace, name})
}

// Get is a copy of an object, nil if there is none.
func (s *Server) Get(resource, namespace, name string) runtime.Object {
	return s.store.get(key{resource, namespace, name})
}

// Refuse lets a function refuse requests: it returns the code of a refusal, such as 403, Cut or Lost, or 0. Verbs and resources are
// those of RBAC: "create", "pods/exec".
func (s *Server) Refuse(refuse func(verb, resource, name string) int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.refuse = refuse
}

// Requests counts what was asked for, by verb and resource: "list pods", "get pods/exec".
func (s *Server) Requests() map[string]int {
	s.lock.Lock()
	defer s.lock.Unlock()
	counted := make(map[string]int, len(s.requests))
	for what, n := range s.requests {
		counted[what] = n
	}
	return counted
}

// count notes a request, and says with which code it is refused.
func (s *Server) count(verb, resource, name string) int {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.requests[verb+" "+resource]++
	if s.refuse == nil {
		return 0
	}
	return s.refuse(verb, resource, name)
}

var _ http.Handler = (*Server)(nil)

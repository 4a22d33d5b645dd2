package scripted

import (
	"io"
	"net/http"
)

// Log is what a pod has printed from now on, as a whole.
func (s *Server) Log(namespace, pod, text string) {
	s.lock.Lock()
	defer s.lock.Unlock()
	if s.logs == nil {
		s.logs = map[[2]string]string{}
	}
	s.logs[[2]string{namespace, pod}] = text
}

func (s *Server) log(w http.ResponseWriter, k key) error {
	if s.store.get(k) == nil {
		return notFound(resource{name: "pods"}, k)
	}
	s.lock.Lock()
	defer s.lock.Unlock()
	_, _ = io.WriteString(w, s.logs[[2]string{k.namespace, k.name}]) // the client's loss
	return nil
}

package apiserver

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
)

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	verb := map[string]string{http.MethodGet: "get", http.MethodPut: "update"}[r.Method]
	switch object, refused := s.objects[r.URL.Path], s.refused[verb+" "+r.URL.Path]; {
	case r.Header.Get("Authorization") != "Bearer "+Token:
		refuse(w, http.StatusUnauthorized)
	case verb == "":
		refuse(w, http.StatusForbidden)
	case refused != 0:
		refuse(w, refused)
	case object == nil:
		refuse(w, http.StatusNotFound)
	case verb == "update":
		s.update(w, r)
	default:
		answer(w, http.StatusOK, object)
	}
}

// update replaces an object, if its version is the one that is there.
func (s *Server) update(w http.ResponseWriter, r *http.Request) {
	var next Object
	if err := json.NewDecoder(r.Body).Decode(&next); err != nil {
		refuse(w, http.StatusBadRequest)
		return
	}
	now, _ := s.objects[r.URL.Path]["metadata"].(Object)
	metadata, _ := next["metadata"].(Object)
	if metadata["resourceVersion"] != now["resourceVersion"] {
		refuse(w, http.StatusConflict)
		return
	}
	s.version++
	metadata["resourceVersion"] = strconv.Itoa(s.version)
	s.objects[r.URL.Path] = next
	answer(w, http.StatusOK, next)
}

// refuse answers as an API server does, with an object.
func refuse(w http.ResponseWriter, code int) {
	reason := strings.ReplaceAll(http.StatusText(code), " ", "")
	answer(w, code, Object{"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": "the server says: " + reason})
}

func answer(w http.ResponseWriter, code int, object Object) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_ = json.NewEncoder(w).Encode(object)
}

package scripted

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"

	api "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes/scheme"
)

// list answers in pages: the token of the next one is how many came before.
func (s *Server) list(w http.ResponseWriter, q url.Values, of resource, sel selection) error {
	all, version := s.store.list(sel)
	from, _ := strconv.Atoi(q.Get("continue")) // the first page has none
	limit, _ := strconv.Atoi(q.Get("limit"))
	from = min(from, len(all))
	rest := all[from:]
	m := metav1.ListMeta{ResourceVersion: strconv.Itoa(version)}
	if limit > 0 && len(rest) > limit {
		rest = rest[:limit]
		m.Continue = strconv.Itoa(from + limit)
	}
	items := make([]json.RawMessage, len(rest))
	for i, o := range rest {
		data, err := json.Marshal(o)
		if err != nil {
			return err
		}
		items[i] = data
	}
	w.Header().Set("Content-Type", "application/json")
	return json.NewEncoder(w).Encode(map[string]any{
		"apiVersion": of.gvk().GroupVersion().String(), "kind": of.kind + "List", "metadata": m, "items": items,
	})
}

// watch tells what happens from a version on; without one, or with sendInitialEvents, first what there is.
func (s *Server) watch(w http.ResponseWriter, r *http.Request, of resource, sel selection) error {
	q := r.URL.Query()
	initial := q.Get("sendInitialEvents") == "true"
	version, err := strconv.Atoi(q.Get("resourceVersion"))
	if err != nil && q.Get("resourceVersion") != "" {
		return api.NewBadRequest("resourceVersion: " + err.Error())
	}
	w.Header().Set("Content-Type", "application/json")
	tell := json.NewEncoder(w)
	if initial || version == 0 {
		var all []runtime.Object
		all, version = s.store.list(sel)
		for _, o := range all {
			if err := tell.Encode(told{watch.Added, o}); err != nil {
				return nil // it has gone
			}
		}
	}
	if initial {
		if err := tell.Encode(told{watch.Bookmark, bookmark(of, version)}); err != nil {
			return nil
		}
	}
	s.follow(w, r, tell, sel, version)
	return nil
}

// follow tells what happens until the client goes, or the test ends.
func (s *Server) follow(w http.ResponseWriter, r *http.Request, tell *json.Encoder, sel selection, version int) {
	for {
		events, last, more := s.store.since(version)
		for _, e := range events {
			if sel.matches(e.key, e.object) {
				if err := tell.Encode(told{e.kind, e.object}); err != nil {
					return
				}
			}
		}
		version = last
		_ = http.NewResponseController(w).Flush() // a client that has gone is seen below
		select {
		case <-more:
		case <-r.Context().Done():
			return
		case <-s.ended.Done():
			return
		}
	}
}

type told struct {
	Type   watch.EventType `json:"type"`
	Object runtime.Object  `json:"object"`
}

// bookmark says that what there is was told.
func bookmark(of resource, version int) runtime.Object {
	o, err := scheme.Scheme.New(of.gvk())
	if err != nil {
		panic(err) // resources has only what the scheme has
	}
	o.GetObjectKind().SetGroupVersionKind(of.gvk())
	m, _ := meta.Accessor(o)
	m.SetResourceVersion(strconv.Itoa(version))
	m.SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
	return o
}

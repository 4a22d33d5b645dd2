package lease

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"confit/confitctl/kube"
	"confit/confitctl/rollout"
)

// TestDate: a record comes with the server's own time, by a client of this package and
// by one of somebody else. Without it the time isn't known.
func TestDate(t *testing.T) {
	at := time.Date(2020, 2, 3, 4, 5, 6, 0, time.UTC)
	date := at.Format(http.TimeFormat)
	var stored string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header()["Date"] = nil
		if date != "" {
			w.Header().Set("Date", date)
		}
		w.Header().Set("Content-Type", "application/json")
		if body, _ := io.ReadAll(r.Body); r.Method == http.MethodPut {
			stored = string(body)
		}
		fmt.Fprint(w, `{"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "web", "uid": "1"}}`)
	}))
	defer server.Close()
	own, err := Open(kube.Cluster{Config: &rest.Config{Host: server.URL}, Namespace: "prod"}, "web")
	if err != nil {
		t.Fatal(err)
	}
	store := New(own.client, "prod", "web")
	for _, test := range []struct {
		date string
		want int64
	}{{date, at.Unix()}, {"", 0}, {"yesterday", 0}} {
		date = test.date
		_, version, err := store.Load(t.Context())
		if err != nil || version.Date() != test.want || version.UID() != "1" {
			t.Errorf("%q: %d, %v", test.date, version.Date(), err)
		}
		if err := store.Save(t.Context(), version, rollout.Record{}.Pause(version.Date())); err != nil || !strings.Contains(stored, Annotation) {
			t.Errorf("stored %s, %v", stored, err)
		}
	}
}

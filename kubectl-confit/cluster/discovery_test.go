package cluster_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/internal/scripted"
)

// TestFind_refused: where the server refuses the list of its kinds, what couldn't be read is said.
func TestFind_refused(t *testing.T) {
	for code, want := range map[int]string{http.StatusForbidden: "403 Forbidden", http.StatusInternalServerError: "500 Internal Server Error"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }))
		t.Cleanup(server.Close)
		c := connectWith(t, scripted.Start(t, script), cluster.Patience{}, "--server", server.URL)
		_, err := c.Find(t.Context(), []string{"deployment/web"})
		if want = "cannot read which kinds the API server has, at /api and /apis: it answers with " + want; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}

package patience

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"

	api "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"confit/confitctl/kube"
)

var (
	object   = kube.Object{Group: "coordination.k8s.io", Resource: "leases", Kind: "lease", Namespace: "prod", Name: "web"}
	resource = schema.GroupResource{Group: object.Group, Resource: object.Resource}
	conflict = object.Problem("update", api.NewConflict(resource, "web", errors.New("changed")))
	away     = object.Problem("get", api.NewGenericServerResponse(http.StatusServiceUnavailable, "get", resource, "web", "", 0, true))
	none     = object.Problem("get", api.NewNotFound(resource, "web"))
)

// TestTry: a lost race and a server that is away are tried again, and what doesn't help isn't.
func TestTry(t *testing.T) {
	for name, tt := range map[string]struct {
		answers []error
		want    error
	}{
		"at once": {[]error{nil}, nil},
		"a race":  {[]error{conflict, conflict, nil}, nil},
		"away":    {[]error{away, nil}, nil},
		"final":   {[]error{conflict, none}, none},
		"own":     {[]error{context.Canceled}, context.Canceled}, // of try itself
	} {
		tries := 0
		err := Try(t.Context(), func() error { tries++; return tt.answers[tries-1] })
		if err != tt.want || tries != len(tt.answers) { //nolint:errorlint // just this one
			t.Errorf("%s: got %v after %d tries, want %v after %d", name, err, tries, tt.want, len(tt.answers))
		}
	}
}

// TestTryEnds: the last error is told when the context has ended.
func TestTryEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := Try(ctx, func() error { cancel(); return away })
	if !errors.Is(err, away) || err.Error() != away.Error()+"; gave up after 1 tries" {
		t.Errorf("got %v", err)
	}
}

// TestTryCutOff: a try that the context's end cuts off says nothing of the server. What the one before says counts.
func TestTryCutOff(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	tries := 0
	err := Try(ctx, func() error {
		if tries++; tries == 1 {
			return conflict
		}
		cancel()
		return object.Problem("get", ctx.Err())
	})
	if !errors.Is(err, conflict) || err.Error() != conflict.Error()+"; gave up after 2 tries" {
		t.Errorf("got %v", err)
	}
}

// TestBounds: at random, and within bounds.
func TestBounds(t *testing.T) {
	for tries := 1; tries < 100; tries++ {
		if d := BackOff(tries, time.Second); d < 0 || d >= 10*time.Second || tries == 1 && d >= 2*time.Second {
			t.Errorf("after %d conflicts it waits %v", tries, d)
		}
	}
}

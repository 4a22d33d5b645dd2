package notify

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestOffer(t *testing.T) {
	t.Parallel()
	state := t.TempDir()
	path := filepath.Join(state, "notify")
	environ, s, err := Offer([]string{"A=1", "NOTIFY_SOCKET=", "B=2"}, state)
	if err != nil || s == nil {
		t.Fatal(s, err)
	}
	t.Cleanup(func() { _ = s.close() })
	if want := []string{"A=1", "B=2", "NOTIFY_SOCKET=" + path}; !slices.Equal(environ, want) {
		t.Errorf("environment %q, want %q", environ, want)
	}
	if err := transmit(path, "READY=1"); err != nil {
		t.Error(err)
	}
	if m := next(t, s); m.State != Ready {
		t.Errorf("received %+v", m)
	}
}

// A socket that is there already is somebody else's, and is passed on.
func TestOfferNone(t *testing.T) {
	t.Parallel()
	given := []string{"NOTIFY_SOCKET=/run/other", "A=1"}
	environ, s, err := Offer(given, t.TempDir())
	if err != nil || s != nil || !slices.Equal(environ, given) {
		t.Errorf("%q, %v, %v", environ, s, err)
	}
}

// Without a socket the app starts as it would without confit.
func TestOfferFails(t *testing.T) {
	t.Parallel()
	given := []string{"A=1"}
	environ, s, err := Offer(given, "/"+strings.Repeat("long", 50))
	if err == nil || s != nil || !slices.Equal(environ, given) {
		t.Errorf("%q, %v, %v", environ, s, err)
	}
}

package fleet

import (
	"bytes"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/confitctl/kube"
	"confit/confitctl/rollout"
)

// TestKeepsItsDistance: who loses one race tries again soon, and who loses two
// in a row has as much patience as who waits. Otherwise a thousand gates that
// lose make the server so slow that nobody wins, not even who reports. And the
// slower the server is, the less it is asked.
func TestKeepsItsDistance(t *testing.T) {
	s := newServer(t)
	g := Gate{Store: s.open(t)}
	s.fails(1, http.StatusConflict, meta.StatusReasonConflict)
	_, _, conflict := g.Store.Load(t.Context())
	for range 100 {
		for _, test := range []struct {
			err         error
			conflicts   int
			took        time.Duration
			least, most time.Duration
		}{
			{nil, 0, time.Millisecond, 5 * time.Second, 15 * time.Second},
			{nil, 0, time.Second, 20 * time.Second, 60 * time.Second},
			{nil, 0, time.Hour, 30 * time.Second, 90 * time.Second},
			{conflict, 1, time.Millisecond, 0, 100 * time.Millisecond},
			{conflict, 1, time.Second, 0, 2 * time.Second},
			{conflict, 2, time.Millisecond, 5 * time.Second, 15 * time.Second},
			{conflict, 2, time.Second, 20 * time.Second, 60 * time.Second},
		} {
			if pause := g.pause(test.err, test.conflicts, test.took); pause < test.least || pause > test.most {
				t.Errorf("%+v: looks again after %v", test, pause)
			}
		}
	}
}

// TestDeniedForAMoment: a server that was started again has not read the roles
// yet, or can't tell whose a token is; or the token's file was renewed late. A
// gate that waits goes on when that is over; one that is never allowed again ends.
func TestDeniedForAMoment(t *testing.T) {
	for code, reason := range map[int]meta.StatusReason{
		http.StatusForbidden: meta.StatusReasonForbidden, http.StatusUnauthorized: meta.StatusReasonUnauthorized,
	} {
		s := newServer(t)
		report(t, s, "1", "A", rollout.Accepted)
		if err := gate(t, s, "1", "B").Run(bounded(t)); err != nil {
			t.Fatal(err)
		}
		s.next(func(http.ResponseWriter, *http.Request) bool { return false }) // it looks, and waits for the canary
		s.fails(maxDenied, code, reason)
		s.next(func(http.ResponseWriter, *http.Request) bool { return false })
		s.fails(maxDenied+1, code, reason)
		before := s.count()
		err := gate(t, s, "2", "B").Run(bounded(t))
		if !kube.IsDenied(err) {
			t.Errorf("%d: got %v", code, err)
		}
		if looks := s.count() - before; looks != 2*maxDenied+3 {
			t.Errorf("%d: looked %d times, want %d", code, looks, 2*maxDenied+3)
		}
	}
}

// TestSaidOnce: a connection that breaks is the same reason each time, whatever
// port it had here.
func TestSaidOnce(t *testing.T) {
	s := newServer(t)
	for range 5 {
		s.next(func(w http.ResponseWriter, _ *http.Request) bool {
			conn, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return false
			}
			_ = conn.(*net.TCPConn).SetLinger(0) // a reset, tcp(7)
			conn.Close()
			return true
		})
	}
	g := gate(t, s, "1", "B")
	if err := g.Run(bounded(t)); err != nil {
		t.Fatal(err)
	}
	if said := g.Out.(*bytes.Buffer).String(); strings.Count(said, "\n") != 1 || !strings.HasPrefix(said, `waiting: cannot get lease "web" in namespace `) {
		t.Errorf("said %q", said)
	}
}

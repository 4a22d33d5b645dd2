package people

import (
	"net/http"
	"strings"
	"testing"

	"confit/confitctl/rollout"
)

// TestOrders: each is stored, over a race that is lost and a server that is away, and the
// rollout comes back as it is then.
func TestOrders(t *testing.T) {
	s := newServer(t)
	store := s.open(t)
	s.goes([3]string{"1", "A", "accepted"}, [3]string{"1", "B", ""})
	for _, tt := range []struct {
		order Order
		fails []int
		holds func(rollout.View) bool
	}{
		{Order{Verb: Pause}, []int{http.StatusServiceUnavailable}, func(v rollout.View) bool { return v.Paused }},
		{Order{Verb: Resume}, nil, func(v rollout.View) bool { return !v.Paused }},
		{Order{Verb: Abort}, nil, func(v rollout.View) bool { return v.Revisions[0].Hashes[0].State == rollout.StateRejected }},
		{Order{Verb: Retry, Hash: "B"}, []int{http.StatusConflict}, func(v rollout.View) bool { return v.Revisions[0].Hashes[0].State == rollout.StateCanary }},
		{Order{Verb: Promote, Hash: "B"}, nil, func(v rollout.View) bool {
			return v.Revisions[0].Hashes[0].State == rollout.StateStable && v.Revisions[0].Hashes[0].Hash == "B"
		}},
	} {
		s.fails = tt.fails
		view, err := tt.order.Give(t.Context(), store)
		if err != nil || !tt.holds(view) {
			t.Errorf("%+v: got %+v, %v", tt.order, view, err)
		}
		if seen, err := Look(t.Context(), store); err != nil || !tt.holds(seen) {
			t.Errorf("%+v: stored is %+v, %v", tt.order, seen, err)
		}
		if tt.order.Verb.Does() == "" {
			t.Errorf("nobody says what %s does", tt.order.Verb)
		}
	}
}

// TestOrdersRefused: what the record doesn't allow, and what asking again doesn't help,
// is said at once.
func TestOrdersRefused(t *testing.T) {
	s := newServer(t)
	store := s.open(t)
	for order, want := range map[Order]string{
		{Verb: Promote}:           "cannot promote: no hash is tried",
		{Verb: Abort, Hash: "3f"}: `cannot abort "3f": no such hash is tried`,
		{Verb: Retry}:             "cannot retry: no hash is given",
	} {
		if _, err := order.Give(t.Context(), store); err == nil || err.Error() != want {
			t.Errorf("%+v: got %v, want %s", order, err, want)
		}
	}
	s.fails = []int{http.StatusNotFound, http.StatusNotFound}
	_, err := Order{Verb: Pause}.Give(t.Context(), store)
	_, err2 := Look(t.Context(), store)
	for _, err := range []error{err, err2} {
		if err == nil || !strings.HasPrefix(err.Error(), `cannot get lease "web" in namespace "prod": there is none`) {
			t.Errorf("got %v", err)
		}
	}
}

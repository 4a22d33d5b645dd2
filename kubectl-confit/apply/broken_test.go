package apply

import (
	"net/http"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/internal/scripted"
	"confit/kubectl-confit/verdict"
)

// breaks answers writes of one kind with 500 that come after the edit is in force, so many times; 0: always.
func (s *shop) breaks(kind string, times int64) *atomic.Int64 {
	met := &atomic.Int64{}
	s.Refuse(func(verb, resource, _ string) int {
		if verb+" "+resource == kind && (times == 0 || met.Load() < times) {
			met.Add(1)
			return http.StatusInternalServerError
		}
		return 0
	})
	return met
}

// TestBroken: --undo goes on after a 500, also one after which it has happened, and puts back what was there.
func TestBroken(t *testing.T) {
	s := newShop(t)
	want := s.ends(objects())
	for _, kind := range []string{"update configmaps", "delete secrets", "get configmaps"} {
		s := newShop(t)
		met := s.breaks(kind, 3)
		if got := s.ends(objects()); got != want || met.Load() != 3 {
			t.Errorf("%s, %d times 500: got\n%s\nwant\n%s", kind, met.Load(), got, want)
		}
	}
}

// TestBroken_always: what was tried and how often stands in the last line when the time is over.
func TestBroken_always(t *testing.T) {
	s := newShop(t)
	s.run.Patience = 2 * time.Second
	s.breaks("update configmaps", 0)
	report := s.run.Do(s.Context(), objects()[:1])
	lines := report.Lines()
	want := regexp.MustCompile(`^cannot put back configmap/web: .*, tried [2-9] times in [1-9]s: kubectl apply --server-side -n shop -f FILE does that, with the FILE of before$`)
	if got := lines[len(lines)-1]; !want.MatchString(got) || report.Undo.Done {
		t.Errorf("got %s", got)
	}
}

// TestBroken_forward: a 500 to an apply ends it at once, as a webhook's is for ever; but one after which it has
// happened counts.
func TestBroken_forward(t *testing.T) {
	for _, happens := range []bool{false, true} {
		s := newShop(t)
		s.settles(func(bool) int { return verdict.Well })
		list, met := objects()[:1], false
		s.Refuse(func(verb, resource, _ string) int {
			web := s.Get("configmaps", "shop", "web").(*corev1.ConfigMap)
			if verb+" "+resource != "patch configmaps" || list[0].Merged == nil || web.ManagedFields[0].Manager != DefaultManager || met {
				return 0
			}
			if met = true; happens {
				return scripted.Broken
			}
			return http.StatusInternalServerError
		})
		report := s.run.Do(s.Context(), list)
		if !met || (report.Verdict == "accepted") != happens || !happens && !strings.HasPrefix(report.Why, "cannot apply configmap/web: ") {
			t.Errorf("it happens: %v; got %+v", happens, report)
		}
	}
}

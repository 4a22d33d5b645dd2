package cli

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"confit/status"
)

// TestLate: a verb that begins when the edit has killed the app once says what one that has seen it says, until the app
// has lived with it.
func TestLate(t *testing.T) {
	w, a, b := edited(t)
	w.take(a, b)
	a.Change(func(s *status.Status) { s.Accepted.Proof = "stored" })
	w.ChangePod("shop", "web-0", func(p *corev1.Pod) { p.Status.ContainerStatuses[0].RestartCount = 1 })
	const why = "its container was restarted since it accepted it: the app has to live with it for --soak"
	if r := w.run("status", "configmap/web"); r.code != 0 || !strings.Contains(r.stdout, "live") || !strings.Contains(r.stdout, why) {
		t.Errorf("status: got %+v", r)
	}
	for _, verb := range []string{"wait", "sync"} {
		if r := w.run(verb, "configmap/web", "--timeout", "4s"); r.code != 1 || !strings.Contains(r.stderr, "1 of 2 containers accepted configmap/web; pod web-0, container nginx is live: "+why) {
			t.Errorf("%s: got %+v", verb, r)
		}
	}
	a.Change(func(s *status.Status) { s.Accepted.Soaked = true })
	for _, verb := range []string{"wait", "sync"} {
		if r := w.run(verb, "configmap/web"); r.code != 0 {
			t.Errorf("%s: got %+v", verb, r)
		}
	}
}

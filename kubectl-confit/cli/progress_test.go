package cli

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"confit/kubectl-confit/verdict"
)

// TestProgress_log: ten pods at a gate are a few lines in a log, and not one for each step of each.
func TestProgress_log(t *testing.T) {
	var log bytes.Buffer
	p := newProgress(&log, "configmap/web", false)
	tell := func(pod int, s verdict.State) {
		p.changed(verdict.Row{Pod: fmt.Sprint("web-", pod), UID: fmt.Sprint(pod), Container: "nginx", State: s, Why: "it is " + string(s)})
	}
	for _, s := range []verdict.State{verdict.Asked, verdict.Behind} {
		for pod := range 10 {
			tell(pod, s)
		}
	}
	for pod := range 10 {
		for _, s := range []verdict.State{verdict.OnItsWay, verdict.Gated, verdict.Live, verdict.Accepted} {
			tell(pod, s)
		}
	}
	const want = "Waiting for configmap/web: 0 of 10 accepted, 10 behind\n" +
		"pod web-0, container nginx: gated: it is gated\n" +
		"Waiting for configmap/web: 3 of 10 accepted, 7 behind\n" +
		"Waiting for configmap/web: 5 of 10 accepted, 5 behind\n" +
		"Waiting for configmap/web: 8 of 10 accepted, 2 behind\n" +
		"Waiting for configmap/web: 10 of 10 accepted\n"
	if log.String() != want {
		t.Errorf("got\n%s", log.String())
	}
}

// TestProgress_waves: a log of sync has a line for each wave.
func TestProgress_waves(t *testing.T) {
	r := newFleet(t, 10).run("sync", "configmap/web")
	if r.code != 0 || strings.Count(r.stderr, "\n") != 5 || !strings.HasPrefix(r.stderr, "Waiting for configmap/web: 0 of 10 accepted, 10 behind\nSyncing web-0: ") {
		t.Errorf("got %+v", r)
	}
}

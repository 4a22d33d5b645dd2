package cli

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"confit/confitctl/rollout"
	"confit/kubectl-confit/internal/scripted"
	"confit/status"
)

// TestRollout_status: as long as nobody has rejected anything the Lease alone is read.
func TestRollout_status(t *testing.T) {
	r := newRolling(t, "web-0", "web-1")
	r.begins("web-0", "3fa1b2c4d5e6")
	const want = `REVISION  HASH          STATE   ACCEPTED  IN FLIGHT  SINCE                 NOTE
7f4c      3fa1b2c4d5e6  canary  0/1       1          2026-03-04T05:06:07Z  a canary is on its way
7f4c      0c1d2e3f4a5b  stable  -         -          2026-03-04T05:06:07Z

POD    HASH          STATE   SINCE                 UNTIL                 WAITS FOR
web-0  3fa1b2c4d5e6  trying  2026-03-04T05:06:07Z  2026-03-04T05:07:37Z  its report
`
	for _, name := range []string{"web", "lease/web", "leases/web", "lease.coordination.k8s.io/web"} {
		if got := r.run("rollout", "status", name); got != (result{0, want, ""}) {
			t.Errorf("%s: got %+v, want\n%s", name, got, want)
		}
	}
	asked := r.Requests()
	if asked["get leases"] != 4 || asked["list pods"]+asked["get pods/exec"]+asked["create pods/exec"]+asked["list leases"] > 0 {
		t.Errorf("it asked %v", asked)
	}
}

// TestRollout_words: a canary that rejects is one screen. What can't be asked is said, and the rest is shown.
func TestRollout_words(t *testing.T) {
	long := strings.Repeat("shop-web-", 6) // the record cuts it
	refuse := func(resource string) func(*rolling) {
		return func(r *rolling) {
			r.Refuse(func(_, what, _ string) int {
				if what == resource {
					return 403
				}
				return 0
			})
		}
	}
	for name, tt := range map[string]struct {
		pod  string
		then func(*rolling)
		why  string
		said bool // what the hook printed is shown, too
	}{
		"the pod's words":   {why: `verify "curl localhost" ended with exit 22`, said: true},
		"of a long name":    {pod: long + "1", why: `verify "curl localhost" ended with exit 22`, said: true},
		"it is gone":        {then: func(r *rolling) { r.Delete("pods", "shop", "web-1") }, why: "the pod is gone"},
		"no right to list":  {then: refuse("pods"), why: "cannot list pods: the right to list pods is missing"},
		"no right to exec":  {then: refuse("pods/exec"), why: `cannot run /.confit/confit in container "nginx" of pod "web-1": the right to create pods/exec is missing`},
		"it has moved on":   {then: says(func(s *status.Status) { s.Rejection = nil }), why: "its confit says nothing of it any more"},
		"a later edit":      {then: says(func(s *status.Status) { s.Rejection.At = status.At(at.Add(2 * time.Minute)) }), why: "its confit says nothing of it any more"},
		"another step":      {then: says(func(s *status.Status) { s.Rejection.Step = "validate" }), why: "its confit says nothing of it any more"},
		"foreign words":     {then: says(func(s *status.Status) { s.Rejection.Reason, s.Rejection.Output = "\x1b[2J", "\x1b[2J" }), why: "verify: \uFFFD[2J"},
		"it ends and ends":  {then: func(r *rolling) { r.Apply(crashed(3)) }, why: "start: validate: it ended with exit 1"},
		"no confit in it":   {then: func(r *rolling) { r.Apply(without("web-1")) }, why: "no pod here has confit"},
		"an older confit":   {then: func(r *rolling) { r.replicas.Of("web-1", "nginx").Says(func(scripted.Exec) int { return 1 }) }, why: "confit --status says nothing"},
		"it was just begun": {then: says(func(s *status.Status) { s.Phase = "done" }), why: "confit has not come up yet"},
	} {
		t.Run(name, func(t *testing.T) {
			if tt.pod == "" {
				tt.pod = "web-1"
			}
			r := newRolling(t, tt.pod, long+"0")
			r.rejects(tt.pod, "verify", `verify "curl localhost" ended with exit 22`, "curl: (22) error: 500")
			if tt.then != nil {
				tt.then(r)
			}
			got := r.run("rollout", "status", "web")
			lines := strings.Split(got.stdout, "\n")
			if got.code != 0 || got.stderr != "" || len(lines) < 6 || strings.Join(strings.Fields(lines[4]), " ") != "POD HASH WHY" {
				t.Fatalf("got %+v", got)
			}
			if want := tt.pod[:min(40, len(tt.pod))]; !strings.Contains(lines[1], "rejected") || !strings.Contains(lines[1], "by "+want+" at step verify") {
				t.Errorf("got\n%s", got.stdout)
			}
			if row := lines[5]; !strings.HasPrefix(row, tt.pod) || !strings.Contains(row, edition[:12]+"  "+tt.why) {
				t.Errorf("got\n%s\nwant %s", got.stdout, tt.why)
			}
			if shown := strings.Contains(got.stdout, "\npod "+tt.pod+", what verify printed:\n  curl: (22) error: 500\n"); shown != tt.said {
				t.Errorf("got\n%s", got.stdout)
			}
			if strings.ContainsAny(got.stdout, "\x1b") {
				t.Errorf("a pod commands the terminal: %q", got.stdout)
			}
		})
	}
}

// says changes what the confit of web-1 says.
func says(change func(*status.Status)) func(*rolling) {
	return func(r *rolling) { r.replicas.Of("web-1", "nginx").Change(change) }
}

// without is a pod in which nobody finds a confit.
func without(name string) *corev1.Pod {
	p := webPod(name)
	p.Spec.Containers[0].Command, p.Spec.Containers[0].VolumeMounts = nil, nil
	return p
}

// TestRollout_waiting: of ten and more the first verdict is one of two, and is shown; so are both containers of its pod.
func TestRollout_waiting(t *testing.T) {
	r := newRolling(t, "web-0", "web-1", "web-2", "web-3", "web-4", "web-5", "web-6", "web-7", "web-8", "web-9", "web-a")
	of := r.replicas.Of("web-a", "nginx")
	of.Bring("/confit/web", r.data("web"))
	of.Reject("probation", "the app ended with exit 1", "", 1)
	of.Change(func(s *status.Status) { s.Rejection.At = status.At(at) })
	for _, n := range "0123456789" {
		r.begins("web-"+string(n), edition)
		r.says("web-"+string(n), edition, rollout.Accepted, "")
	}
	p := webPod("web-a")
	p.UID = r.Get("pods", "shop", "web-a").(*corev1.Pod).UID
	p.Spec.Containers = append(p.Spec.Containers, p.Spec.Containers[0])
	p.Spec.Containers[1].Name = "second"
	r.Apply(running(p))
	second := r.replicas.Add("web-a", "second", scripted.Volume("/confit/web", "nginx.conf"))
	second.Bring("/confit/web", r.data("web"))
	second.Reject("probation", "so it says", "", 1)
	second.Change(func(s *status.Status) { s.Rejection.At = status.At(at) })
	r.begins("web-a", edition)
	r.says("web-a", edition, rollout.RolledBack, "probation")
	got := r.run("rollout", "status", "web")
	for _, want := range []string{"stable", "web-a has rejected it at step probation; the next waits whether others do, for 10m0s", "failed (probation)",
		"container nginx: probation: the app ended with exit 1\n", "container second: probation: so it says\n"} {
		if got.code != 0 || !strings.Contains(got.stdout, want) {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
}

// TestRollout_json: the documented fields, and no other.
func TestRollout_json(t *testing.T) {
	r := newRolling(t, "web-0", "web-1")
	r.rejects("web-1", "verify", "it is bad", "really")
	var got map[string]any
	for _, format := range []string{"json", "yaml"} {
		answer := r.run("rollout", "status", "web", "-o", format)
		decode(t, format, answer.stdout, &got)
		words := got["words"].([]any)[0].(map[string]any)
		hashes := got["revisions"].([]any)[0].(map[string]any)["hashes"].([]any)
		switch {
		case answer.code != 0, got["apiVersion"] != "confit/v1", got["kind"] != "Rollout", got["namespace"] != "shop", got["lease"] != "web", got["code"] != 0.0,
			got["why"] != "", got["paused"] != false, hashes[0].(map[string]any)["state"] != "rejected", hashes[0].(map[string]any)["hash"] != edition:
			t.Errorf("got %+v", got)
		}
		if words["hash"] != edition || words["pod"] != "web-1" || words["container"] != "nginx" || words["step"] != "verify" || words["output"] != "really" ||
			words["why"] != "verify: it is bad" || words["state"] != "rejected" || words["attempts"] != 1.0 {
			t.Errorf("got %+v", words)
		}
	}
	r.store(rollout.Record{})
	if answer := r.run("rollout", "pause", "web", "-o", "json"); answer.code != 0 || json.Unmarshal([]byte(answer.stdout), &got) != nil || got["paused"] != true {
		t.Errorf("got %+v", answer)
	}
	if list, ok := got["words"].([]any); !ok || len(list) > 0 {
		t.Errorf("got %v", got["words"])
	}
}

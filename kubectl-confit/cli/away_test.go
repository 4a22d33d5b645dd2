package cli

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// silent is what is said of an API server that is away.
const silent = "The API server doesn't answer: "

// TestAway_wait: a server that goes away while somebody waits, or before, ends no wait.
func TestAway_wait(t *testing.T) {
	for verb, until := range map[string]string{"wait": silent, "sync": "2 behind"} {
		t.Run(verb, func(t *testing.T) {
			w, a, b := edited(t)
			if until == silent {
				w.Away()
			}
			s := w.start(until, verb, "configmap/web")
			w.Away()
			s.sees(silent)
			w.take(a, b)
			w.Back()
			s.ends().want(t, 0, "configmap/web accepted by 2 containers\n", "The API server answers again")
		})
	}
}

// TestAway_late: the time that somebody gives is the bound, whatever is away, and no pod is blamed for that.
func TestAway_late(t *testing.T) {
	w, _, _ := edited(t)
	s := w.start("2 behind", "wait", "configmap/web", "--timeout", "5s")
	w.Away()
	s.ends().want(t, 1, "", "kubectl-confit: the time is over: 0 of 2 containers accepted configmap/web; pod web-0, container nginx is behind: the kubelet has not brought it yet; and 1 more; the API server is away")
}

// TestAway_watch: status --watch goes on after an outage.
func TestAway_watch(t *testing.T) {
	w, a, _ := edited(t)
	s := w.start("behind", "status", "configmap/web", "--watch")
	w.Away()
	s.sees(silent)
	w.take(a)
	w.Back()
	s.sees("accepted")
	interrupted(t, s)
}

// TestAway_apply: a server that goes away while the pods are waited for ends nothing, and keeps no old object from being put back: not
// after a verdict, nor at ^C.
func TestAway_apply(t *testing.T) {
	for name, tt := range map[string]struct {
		end  func(*testing.T)
		code int
		text string
	}{
		"verdict": {nil, 3, "1"},
		"typed":   {interrupt, 130, "1"},
	} {
		t.Run(name, func(t *testing.T) {
			w, a := applied(t, well)
			s := w.applying("2", "--undo")
			w.Away()
			s.sees(silent)
			a.Bring("/confit/web", w.data("web"))
			a.Reject("verify", "it is bad", "line 1: bad", 1)
			if tt.end != nil {
				tt.end(t)
			}
			w.Back()
			s.sees("Put back configmap/web")
			w.take(a)
			r := s.ends()
			r.want(t, tt.code, "", "kubectl-confit: configmap/web is as it was before")
			w.holds(tt.text)
		})
	}
}

// TestAway_rollout: people's verbs wait for half a minute.
func TestAway_rollout(t *testing.T) {
	for _, args := range [][]string{{"status", "web"}, {"pause", "web"}, {"status", "deployment/web"}} {
		r := newRolling(t, "web-0")
		d := deployment("web")
		d.Spec.Template.Spec.Containers = []corev1.Container{{Name: "nginx", Env: []corev1.EnvVar{{Name: "CONFITCTL_LEASE", Value: "web"}}}}
		r.Apply(d)
		r.Away()
		s := r.start(silent, append([]string{"rollout"}, args...)...)
		r.Back()
		if got := s.ends(); got.code != 0 || got.stdout == "" {
			t.Errorf("%v: got %+v", args, got)
		}
		if paused := r.stored().View().Paused; paused != (args[0] == "pause") {
			t.Errorf("%v: paused: %v", args, paused)
		}
	}
}

package cli

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/internal/scripted"
	"confit/status"
)

// enters brings an edit to a container whose app is at its entrypoint, where it has half an hour.
func (w *world) enters(r *scripted.Replica) (until string) {
	r.Bring("/confit/web", w.data("web"))
	since := time.Now()
	r.Enter("waiting", "bash start.sh", since, 30*time.Minute)
	return string(status.At(since.Add(30 * time.Minute)))
}

// TestStatus_entrypoint: who waits for an app is on its way, and why and until when is said.
func TestStatus_entrypoint(t *testing.T) {
	w, a, b := edited(t)
	until := w.enters(a)
	b.Bring("/confit/web", w.data("web"))
	b.Enter("beginning", "", time.Now(), 0)
	r := w.run("status", "configmap/web")
	for _, want := range []string{
		"confit waits for the app's entrypoint bash start.sh, until " + until + " at the latest\n",
		"confit waits for the app's entrypoint, until ",
	} {
		if r.code != 0 || !strings.Contains(r.stdout, want) {
			t.Errorf("got %+v, want %s", r, want)
		}
	}
}

// TestLate_entrypoint: the last line of what times out has the reason, of a pod for which the others wait, too.
func TestLate_entrypoint(t *testing.T) {
	const reason = "confit waits for the app's entrypoint bash start.sh, until "
	type late struct {
		*started
		want string
	}
	var runs []late
	begin := func(w *world, r *scripted.Replica, more string, args ...string) {
		until := w.enters(r)
		s := w.start(": on its way: "+reason+until, append(args, "--timeout", "4s")...)
		runs = append(runs, late{s, " is on its way: " + reason + until + " at the latest" + more + "\n"})
	}
	for _, verb := range []string{"wait", "sync"} {
		w, _, b := edited(t)
		begin(w, b, "; and 1 more", verb, "configmap/web")
	}
	w, a := applied(t, well)
	w.Apply(configMap("web", "nginx.conf", "2"))
	begin(w, a, "", "apply", "--in-place", "--force-conflicts", "-f", edit(t, "2"))
	for _, run := range runs {
		r := run.ends()
		more := strings.Contains(r.stderr, "added to --timeout")
		if r.code != 1 || !strings.Contains(r.stderr, run.want) || more || strings.Count(r.stderr, ": on its way: ") != 1 {
			t.Errorf("got %+v, want %s", r, run.want)
		}
	}
}

// TestWait_script: what a script that executes nothing may need is added to --timeout, and that is said once.
func TestWait_script(t *testing.T) {
	for _, verb := range []string{"wait", "sync"} {
		t.Run(verb, func(t *testing.T) {
			w, a, b := edited(t)
			for _, r := range []*scripted.Replica{a, b} {
				r.Bring("/confit/web", w.data("web"))
				r.Enter("waiting", "sh loop.sh", time.Now(), 5*time.Minute)
			}
			s := w.start("of that is added to --timeout, as the script executes nothing", verb, "configmap/web")
			s.sees("2 on its way")
			a.Begin()
			b.Begin()
			w.take(a, b)
			r := s.ends()
			if r.code != 0 || strings.Count(r.stderr, "added to --timeout") != 1 || strings.Count(r.stderr, "entrypoint sh loop.sh, until ") != 1 {
				t.Errorf("got %+v", r)
			}
		})
	}
}

// TestSync_entrypoint: what has come while an app is at its entrypoint is on its way, and why it waits is said.
func TestSync_entrypoint(t *testing.T) {
	f := newFleet(t, 1)
	f.took["web-0"] = func(*scripted.Replica, int) {}
	s := f.start("1 behind", "sync", "configmap/web")
	f.bring(f.confit["web-0"])
	f.confit["web-0"].Enter("beginning", "bash start.sh", time.Now(), 30*time.Minute)
	s.sees("pod web-0, container nginx: on its way: confit waits for the app's entrypoint bash start.sh, until ")
	f.confit["web-0"].Begin()
	f.confit["web-0"].Accept()
	if r := s.ends(); r.code != 0 {
		t.Errorf("got %+v", r)
	}
}

// TestSoak_entrypoint: an app at its entrypoint soaks nothing yet, so neither an end nor the time of one is known.
func TestSoak_entrypoint(t *testing.T) {
	w, a, b := edited(t)
	w.take(a, b)
	at := time.Now().Add(time.Hour)
	a.Soak(at)
	b.Enter("running", "bash start.sh", time.Now(), 30*time.Minute) // a new container, on what the former one has accepted
	s := w.start("2 of 2 accepted, 0 of 2 soaked", "wait", "configmap/web", "--soak")
	a.Soak(time.Now())
	w.asksNow("web-0")
	s.sees("2 of 2 accepted, 1 of 2 soaked")
	b.Begin()
	b.Soak(at)
	w.asksNow("web-1")
	s.sees("2 of 2 accepted, 1 of 2 soaked, the last at " + string(status.At(at)))
	b.Soak(time.Now())
	w.asksNow("web-1")
	if r := s.ends(); r.code != 0 || strings.Contains(s.stderr.String(), "2 of 2 accepted, 0 of 2 soaked, the last at") {
		t.Errorf("got %+v", r)
	}
}

// asksNow has a container asked before its turn.
func (w *world) asksNow(pod string) {
	w.ChangePod("shop", pod, func(p *corev1.Pod) { p.Status.ContainerStatuses[0].ContainerID += "+" })
}

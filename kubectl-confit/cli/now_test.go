package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/confitctl/rollout"
	"confit/kubectl-confit/internal/scripted"
	"confit/status"
)

// dies lets the app of a pod die of what it accepted: its container ends with 3, and is started again on the same.
func (w *world) dies(pod string, r *scripted.Replica) {
	r.Change(func(s *status.Status) {
		a := *s.Accepted
		a.Since, s.Accepted = status.At(time.Now().Add(-time.Minute)), &a
	})
	r.Soak(time.Now().Add(time.Minute))
	w.ChangePod("shop", pod, func(p *corev1.Pod) {
		s := &p.Status.ContainerStatuses[0]
		s.RestartCount++
		s.ContainerID = fmt.Sprint("containerd://", pod, s.RestartCount)
		s.State.Running = &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(time.Now().Truncate(time.Second))}
		s.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 3}
	})
}

// goesBack lets a confit go back to what it had accepted before, as the app has died of what is mounted too often.
func goesBack(r *scripted.Replica) {
	r.Reject("soak", "the app ended with exit 3", "", 1)
	r.Change(func(s *status.Status) {
		for key, sum := range s.Keys {
			s.Mounted.Keys[key] = status.Sum(sum)
			s.Keys[key] = "before"
		}
		a := *s.Accepted
		a.Hash, s.Accepted = "before", &a
	})
}

// TestSyncLate: the first pod dies of the edit after it has accepted it. Nobody else is synced until it has accepted it again.
func TestSyncLate(t *testing.T) {
	for name, end := range map[string]struct {
		say  func(*scripted.Replica)
		args []string
		code int
		want string
	}{
		"rejected": {goesBack, nil, 3,
			"kubectl-confit: pod web-0, container nginx has rejected it: soak: the app ended with exit 3\n"},
		"lives":      {func(r *scripted.Replica) { r.Soak(time.Now()) }, nil, 0, ""},
		"never says": {func(*scripted.Replica) {}, []string{"--timeout", "4s"}, 1, "the time is over: 1 of 5 containers accepted configmap/web; pod web-0, container nginx is live: its container was restarted since it accepted it: "},
	} {
		t.Run(name, func(t *testing.T) {
			f := newFleet(t, 5)
			brought := make(chan struct{})
			f.took["web-1"] = func(r *scripted.Replica, ask int) {
				if f.bring(r); ask == 1 {
					close(brought)
				}
			}
			s := f.start("Syncing web-1: a quarter", append([]string{"sync", "configmap/web"}, end.args...)...)
			f.dies("web-0", f.confit["web-0"])
			s.sees("1 live")
			select {
			case <-brought:
			case <-time.After(patience):
				t.Fatal("the kubelet of web-1 isn't asked")
			}
			f.confit["web-1"].Accept()
			f.add("web-9", "nginx.conf") // it starts on the new keys, and shows that the wave before is over
			s.sees("2 of 6 accepted")
			if got := f.asked(); !slices.Equal(got, []string{"web-0", "web-1"}) {
				t.Errorf("asked were %v", got)
			}
			f.Delete("pods", "shop", "web-9")
			end.say(f.confit["web-0"])
			r := s.ends()
			if r.code != end.code || !strings.Contains(r.stderr, end.want) {
				t.Errorf("got %+v", r)
			}
			if got := len(f.asked()) == 5; got != (r.code == 0) {
				t.Errorf("asked were %v", f.asked())
			}
		})
	}
}

// TestWait_of_now: who has accepted it is asked once more before it is said that all have.
func TestWait_of_now(t *testing.T) {
	w, a, b := edited(t)
	s := w.start("2 behind", "wait", "configmap/web")
	w.take(a)
	s.sees("1 of 2")
	goesBack(a)
	w.take(b)
	if r := s.ends(); r.code != 3 || !strings.Contains(r.stderr, "pod web-0, container nginx has rejected it: soak: ") {
		t.Errorf("got %+v", r)
	}
}

// TestWait_drain: a pod that is deleted stops nothing, however it ends.
func TestWait_drain(t *testing.T) {
	w, a, b := edited(t)
	s := w.start("2 behind", "wait", "configmap/web")
	w.take(a)
	s.sees("1 of 2")
	w.ChangePod("shop", "web-0", func(p *corev1.Pod) {
		p.DeletionTimestamp, p.Finalizers = &metav1.Time{Time: time.Now()}, []string{"x/y"}
	})
	s.sees("pod web-0, container nginx: ended: it is being deleted")
	w.dies("web-0", a)
	w.take(b)
	if r := s.ends(); r.code != 0 || r.stdout != "configmap/web accepted by 1 container\n" {
		t.Errorf("got %+v", r)
	}
}

// TestSoak: the first has to live with it before the others follow, and all have to before the end; the time is said.
func TestSoak(t *testing.T) {
	f := newFleet(t, 2)
	at := time.Now().Add(time.Hour)
	for name := range f.confit {
		f.took[name] = func(r *scripted.Replica, _ int) {
			f.bring(r)
			r.Accept()
			r.Soak(at)
		}
	}
	const text = "1 of 2 accepted, 0 of 2 soaked"
	s := f.start(text+", the last at "+string(status.At(at)), "sync", "configmap/web", "--soak")
	f.confit["web-0"].Soak(time.Now())
	f.ChangePod("shop", "web-0", func(p *corev1.Pod) { p.Status.ContainerStatuses[0].ContainerID = "containerd://asked-now" })
	s.sees("Syncing web-1: ")
	s.sees("2 of 2 accepted, 1 of 2 soaked")
	f.confit["web-1"].Soak(time.Now())
	f.ChangePod("shop", "web-1", func(p *corev1.Pod) { p.Status.ContainerStatuses[0].ContainerID = "containerd://asked-now" })
	if r := s.ends(); r.code != 0 || r.stdout != "configmap/web accepted and soaked by 2 containers\n" {
		t.Errorf("got %+v", r)
	}
	f.confit["web-1"].Soak(at)
	if r := f.run("wait", "configmap/web", "--soak", "--timeout", "4s"); r.code != 1 || !strings.Contains(r.stderr,
		"1 of 2 containers accepted and soaked configmap/web; pod web-1, container nginx is accepted: the app has to live with it for --soak, until "+string(status.At(at))) {
		t.Errorf("got %+v", r)
	}
}

// TestWait_gated: what others have rejected is over for who waits at the gate, whatever that has heard.
func TestWait_gated(t *testing.T) {
	r := newRolling(t, "web-0", "web-1")
	for _, name := range []string{"web-0", "web-1"} {
		r.ChangePod("shop", name, func(p *corev1.Pod) {
			p.Labels["pod-template-hash"] = "7f4c"
			p.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "CONFIT_GATE", Value: "confitctl gate"}, {Name: "CONFITCTL_LEASE", Value: "web"}}
		})
	}
	waits := r.replicas.Of("web-1", "nginx")
	waits.Bring("/confit/web", r.data("web"))
	waits.Change(func(s *status.Status) {
		s.Mounted.Shared, s.Gate = edition, &status.Gate{Hash: edition, Since: status.At(time.Now())}
	})
	s := r.start("1 gated", "wait", "configmap/web", "--timeout", "20s")
	r.begins("web-0", edition)
	r.says("web-0", edition, rollout.RolledBack, "probation")
	const want = "kubectl-confit: pod web-1, container nginx waits at its gate for what web-0 has rejected at step probation: cf8ac6c2749a\n"
	if got := s.ends(); got.code != 3 || !strings.HasSuffix(got.stderr, want) {
		t.Errorf("got %+v", got)
	}
	if got := r.run("status", "configmap/web"); got.code != 3 || !strings.Contains(got.stdout, "waits at its gate for what web-0 has rejected at step probation: cf8ac6c2749a\n") {
		t.Errorf("got %+v", got)
	}
}

// TestWait_hash: the verdict names what was accepted as a rollout knows it, for its --hash.
func TestWait_hash(t *testing.T) {
	w, a, b := edited(t)
	w.take(a, b)
	for _, r := range []*scripted.Replica{a, b} {
		r.Change(func(s *status.Status) { s.Mounted.Shared = edition })
	}
	if r := w.run("wait", "configmap/web"); r.code != 0 || r.stdout != "configmap/web accepted by 2 containers: hash cf8ac6c2749a\n" {
		t.Errorf("got %+v", r)
	}
	hash := func() string {
		var found struct{ Hash string }
		decode(t, "json", w.run("wait", "configmap/web", "-o", "json").stdout, &found)
		return found.Hash
	}
	if got := hash(); got != edition {
		t.Errorf("got %q", got)
	}
	b.Change(func(s *status.Status) { s.Mounted.Shared = old })
	if got := hash(); got != "" {
		t.Errorf("two containers have different ones: got %q", got)
	}
}

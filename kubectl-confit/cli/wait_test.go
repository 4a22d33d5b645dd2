package cli

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/kubectl-confit/internal/scripted"
)

// edited is a world with two pods that have the first edit of a ConfigMap, and the API has the second.
func edited(t *testing.T) (w *world, a, b *scripted.Replica) {
	t.Helper()
	w = newWorld(t, configMap("web", "nginx.conf", "1", "other", "x"))
	a, b = w.add("web-0", "nginx.conf"), w.add("web-1", "nginx.conf")
	w.Apply(configMap("web", "nginx.conf", "2", "other", "x"))
	return w, a, b
}

// take lets replicas take what the API has.
func (w *world) take(list ...*scripted.Replica) {
	for _, r := range list {
		r.Bring("/confit/web", w.data("web"))
		r.Accept()
	}
}

// TestWait: both pods accept, and who is done is asked once more before the end.
func TestWait(t *testing.T) {
	w, a, b := edited(t)
	s := w.start("0 of 2 accepted, 2 behind", "wait", "configmap/web")
	w.take(a)
	s.sees("1 of 2 accepted, 1 behind")
	asked := a.Asked()
	b.Bring("/confit/web", w.data("web"))
	s.sees("1 on its way")
	b.Publish()
	s.sees("1 live")
	b.Accept()
	if r := s.ends(); r.code != 0 || r.stdout != "configmap/web accepted by 2 containers\n" {
		t.Errorf("got %+v", r)
	}
	if n := a.Asked(); n != asked+1 {
		t.Errorf("who was done was asked %d times more: once before the end is enough", n-asked)
	}
	if r := w.run("wait", "cm", "web"); r.code != 0 || r.stdout != "cm web accepted by 2 containers\n" {
		t.Errorf("again: got %+v", r)
	}
}

// TestWait_rejected: what may pass needs a second attempt, the gate's word is none, and all else counts at once.
func TestWait_rejected(t *testing.T) {
	for _, step := range []string{"stage", "render", "validate", "gate", "start", "reload", "verify", "ready", "probation", "entrypoint", "soak"} {
		t.Run(step, func(t *testing.T) {
			w, a, b := edited(t)
			s := w.start("2 behind", "wait", "configmap/web")
			w.take(a)
			b.Bring("/confit/web", w.data("web"))
			b.Reject(step, "it is bad", "line 1: \x1b[31mbad\nline 2", 1)
			switch step {
			case "gate":
				s.sees("pod web-1, container nginx: gated: gate: it is bad")
				w.take(b)
				if r := s.ends(); r.code != 0 {
					t.Errorf("got %+v", r)
				}
				return
			case "stage", "render", "validate":
				s.sees("pod web-1, container nginx: rejected: " + step + ": it is bad")
				b.Reject(step, "it is bad", "line 1: \x1b[31mbad\nline 2", 2)
			}
			r := s.ends()
			want := "\npod web-1, what " + step + " printed:\n  line 1: \uFFFD[31mbad\n  line 2\nkubectl-confit: pod web-1, container nginx has rejected it: " + step + ": it is bad\n"
			if r.code != 3 || r.stdout != "" || !strings.HasSuffix(r.stderr, want) {
				t.Errorf("got %+v, want %s", r, want)
			}
		})
	}
}

// TestWait_formerRejection: one that the API has not any more doesn't count.
func TestWait_formerRejection(t *testing.T) {
	w, a, b := edited(t)
	for _, r := range []*scripted.Replica{a, b} {
		r.Bring("/confit/web", w.data("web"))
		r.Reject("verify", "it is bad", "", 3)
	}
	w.Apply(configMap("web", "nginx.conf", "3"))
	s := w.start("2 behind", "wait", "configmap/web")
	w.take(a, b)
	if r := s.ends(); r.code != 0 {
		t.Errorf("got %+v", r)
	}
}

// TestWait_superseded: another edit ends it, and one of labels doesn't.
func TestWait_superseded(t *testing.T) {
	w, a, _ := edited(t)
	s := w.start("2 behind", "wait", "configmap/web")
	labelled := configMap("web", "nginx.conf", "2", "other", "x")
	labelled.Labels["edited"] = "true"
	w.Apply(labelled)
	w.take(a)
	s.sees("1 of 2")
	w.Apply(configMap("web", "nginx.conf", "3", "other", "x"))
	r := s.ends()
	if r.code != 1 || !strings.HasSuffix(r.stderr, "kubectl-confit: superseded: configmap/web was edited again (resourceVersion 7, waited for 5)\n") {
		t.Errorf("got %+v", r)
	}
	s = w.start("2 behind", "wait", "configmap/web")
	w.Delete("configmaps", "shop", "web")
	if r := s.ends(); r.code != 1 || !strings.HasSuffix(r.stderr, "kubectl-confit: superseded: configmap/web is gone\n") {
		t.Errorf("got %+v", r)
	}
}

// TestWait_late: the time ends it.
func TestWait_late(t *testing.T) {
	w, _, _ := edited(t)
	r := w.run("wait", "configmap/web", "--timeout", "1ms")
	if r.code != 1 || !strings.Contains(r.stderr, "kubectl-confit: the time is over: 0 of ") || r.stdout != "" {
		t.Errorf("got %+v", r)
	}
}

// TestWait_nobody: why nobody is waited for.
func TestWait_nobody(t *testing.T) {
	for name, tt := range map[string]struct {
		change func(p *corev1.Pod)
		want   string
	}{
		"other object": {func(p *corev1.Pod) { p.Spec.Volumes[0].ConfigMap.Name = "other" }, "no pod mounts configmap/web"},
		"subPath":      {func(p *corev1.Pod) { p.Spec.Containers[0].VolumeMounts[0].SubPath = "a" }, "1 pod with configmap/web, but by subPath or in the environment only, which never changes while a container runs: see kubectl confit inject --help"},
		"environment": {func(p *corev1.Pod) {
			p.Spec.Containers[0].VolumeMounts = nil
			p.Spec.Containers[0].EnvFrom = []corev1.EnvFromSource{{ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web"}}}}
		}, "1 pod with configmap/web, but by subPath or in the environment only, which never changes while a container runs: see kubectl confit inject --help"},
		"no confit": {func(p *corev1.Pod) {
			p.Spec.Containers[0].Command, p.Spec.Containers[0].VolumeMounts[0].MountPath = []string{"nginx"}, "/etc/web"
		}, "1 pod with configmap/web, but no confit: nobody can say what their apps have read"},
		"unfollowed": {func(p *corev1.Pod) { p.Spec.Containers[0].VolumeMounts[0].MountPath = "/etc/web" }, "no confit takes a key of configmap/web in a running pod"},
		"succeeded":  {func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }, "no confit takes a key of configmap/web in a running pod"},
		"deleted": {func(p *corev1.Pod) {
			p.DeletionTimestamp, p.Finalizers = &metav1.Time{Time: time.Now()}, []string{"x/y"}
		}, "no confit takes a key of configmap/web in a running pod"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, configMap("web", "nginx.conf", "1"))
			w.add("web-0", "nginx.conf")
			p := webPod("web-0")
			tt.change(p)
			w.Apply(p)
			if r := w.run("wait", "configmap/web"); r.code != 1 || !strings.HasSuffix(r.stderr, "kubectl-confit: "+tt.want+"\n") {
				t.Errorf("got %+v, want %s", r, tt.want)
			}
		})
	}
}

// TestWait_comeAndGo: pods that come count, those that go don't, and a container that restarts is asked anew.
func TestWait_comeAndGo(t *testing.T) {
	w, a, _ := edited(t)
	s := w.start("2 behind", "wait", "configmap/web")
	w.take(a)
	s.sees("1 of 2")
	pending := webPod("web-2")
	pending.Status = corev1.PodStatus{Phase: corev1.PodPending}
	w.Apply(pending)
	s.sees("pod web-2, container nginx: starting: it is pending")
	c := w.replicas.Add("web-2", "nginx", scripted.Volume("/confit/web", "nginx.conf"))
	w.Apply(webPod("web-2"))
	s.sees("1 of 3 accepted, 2 behind")
	w.Delete("pods", "shop", "web-1")
	again := webPod("web-0")
	again.Status.ContainerStatuses[0].ContainerID, again.Status.ContainerStatuses[0].RestartCount = "containerd://again", 1
	a.Bring("/confit/web", map[string]string{"nginx.conf": "1"})
	a.Accept()
	w.Apply(again)
	s.sees("0 of 2")
	w.take(a)
	c.Bring("/confit/web", w.data("web"))
	c.Accept()
	if r := s.ends(); r.code != 0 || r.stdout != "configmap/web accepted by 2 containers\n" {
		t.Errorf("got %+v", r)
	}
}

// crashed is a pod whose container has ended with 78 a number of times.
func crashed(times int) *corev1.Pod {
	p := webPod("web-1")
	s := &p.Status.ContainerStatuses[0]
	s.RestartCount = int32(times)
	s.State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff", Message: "back-off"}}
	s.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{ExitCode: 78, ContainerID: fmt.Sprint("run-", times), FinishedAt: metav1.Now(),
		Message: "validate: it ended with exit 1\nnginx: \x1b[31mbad"}
	return p
}

// TestWait_crashed: ends with 78 from before don't count, and of those after the second does.
func TestWait_crashed(t *testing.T) {
	w, a, _ := edited(t)
	w.Apply(crashed(5))
	s := w.start("pod web-1, container nginx: rejected: start: validate: it ended with exit 1", "wait", "configmap/web")
	w.take(a)
	s.sees("1 of 2")
	w.Apply(crashed(6))
	w.Apply(webPod("web-1"))
	s.sees("1 behind")
	w.Apply(crashed(7))
	r := s.ends()
	want := "\npod web-1, what start printed:\n  nginx: \uFFFD[31mbad\nkubectl-confit: pod web-1, container nginx has rejected it: start: validate: it ended with exit 1\n"
	if r.code != 3 || !strings.HasSuffix(r.stderr, want) {
		t.Errorf("got %+v, want %s", r, want)
	}
}

// TestWait_noRight: without the right to run commands nobody knows, and the line says which right.
func TestWait_noRight(t *testing.T) {
	w, _, _ := edited(t)
	for resource, want := range map[string]string{
		"pods/exec": `cannot run /.confit/confit in container "nginx" of pod "web-`,
		"pods":      `cannot watch pods: the right to list pods is missing`,
	} {
		w.Refuse(func(verb, what, _ string) int {
			if what == resource {
				return 403
			}
			return 0
		})
		if r := w.run("wait", "configmap/web"); r.code != 1 || !strings.Contains(r.stderr, "kubectl-confit: "+want) {
			t.Errorf("%s: got %+v, want %s", resource, r, want)
		}
	}
}

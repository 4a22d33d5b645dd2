package follow_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clocktesting "k8s.io/utils/clock/testing"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/internal/scripted"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
	"confit/status"
)

var web = pods.Object{Kind: pods.ConfigMap, Name: "web"}

// fleet is pods that mount the ConfigMap web, and their replicas.
type fleet struct {
	*scripted.Server
	client   *cluster.Client
	replicas []*scripted.Replica
}

func configMap(text string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}, Data: map[string]string{"nginx.conf": text}}
}

// newFleet has accepted the text "1".
func newFleet(t *testing.T, size int) *fleet {
	t.Helper()
	all := &scripted.Replicas{}
	f := &fleet{Server: scripted.Start(t, all.Script, configMap("1"))}
	for i := range size {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%04d", i), Namespace: "shop"}}
		p.Spec.Volumes = []corev1.Volume{{Name: "web", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web"}}}}}
		p.Spec.Containers = []corev1.Container{{Name: "nginx", Command: []string{"confit", "--", "nginx"}, VolumeMounts: []corev1.VolumeMount{{Name: "web", MountPath: "/confit/web"}}}}
		p.Status = corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "nginx", ContainerID: p.Name,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(time.Now().Add(-time.Hour))}}}}}
		f.Apply(p)
		r := all.Add(p.Name, "nginx", scripted.Volume("/confit/web", "nginx.conf"))
		f.replicas = append(f.replicas, r)
		take(r, "1")
	}
	flags := cluster.NewFlags()
	set := pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.AddTo(set)
	if err := set.Parse([]string{"--kubeconfig", f.Kubeconfig(), "-n", "shop"}); err != nil {
		t.Fatal(err)
	}
	var err error
	if f.client, err = flags.Connect(cluster.Patience{}); err != nil {
		t.Fatal(err)
	}
	return f
}

func take(r *scripted.Replica, text string) {
	r.Bring("/confit/web", map[string]string{"nginx.conf": text})
	r.Accept()
}

// waiting is a wait that runs.
type waiting struct {
	report *follow.Report
	err    error
	ended  chan struct{}
}

func (f *fleet) wait(ctx context.Context, o follow.Options) *waiting {
	w := &waiting{ended: make(chan struct{})}
	go func() {
		defer close(w.ended)
		w.report, w.err = follow.Wait(ctx, f.client, follow.Scope{Objects: []pods.Object{web}}, o)
	}()
	return w
}

const patience = time.Minute

func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("never: " + what)
		}
	}
}

func (w *waiting) end(t *testing.T) *follow.Report {
	t.Helper()
	select {
	case <-w.ended:
	case <-time.After(patience):
		t.Fatal("it goes on")
	}
	if w.err != nil {
		t.Fatal(w.err)
	}
	return w.report
}

// TestWait_clock: a container that stays as it is is asked less and less often, and the time ends the wait.
func TestWait_clock(t *testing.T) {
	f := newFleet(t, 1)
	f.Apply(configMap("2"))
	clock := clocktesting.NewFakeClock(time.Now())
	w := f.wait(t.Context(), follow.Options{Clock: clock, Timeout: time.Minute})
	r := f.replicas[0]
	asked := 1
	rest := time.Minute
	for _, pause := range []time.Duration{1000, 1500, 2250, 3375, 5062500, 7593750, 10000, 10000, 10000} {
		if pause < 1e5 {
			pause *= 1000
		}
		pause *= time.Microsecond
		eventually(t, "the answer", func() bool { return r.Asked() == asked && clock.Waiters() == 2 })
		clock.Step(pause - time.Microsecond)
		rest -= pause - time.Microsecond
		if r.Asked() != asked {
			t.Errorf("asked %d times before the pause was over", r.Asked())
		}
		clock.Step(time.Microsecond)
		rest -= time.Microsecond
		asked++
	}
	eventually(t, "the last answer", func() bool { return r.Asked() == asked && clock.Waiters() == 2 })
	clock.Step(rest)
	got := w.end(t).Result
	if got.Code != verdict.Wrong || !strings.HasPrefix(got.Why, "the time is over: 0 of 1 container accepted configmap/web; pod web-0000, container nginx is behind: ") {
		t.Errorf("got %+v", got)
	}
}

// TestWait_late: when the time is over, it says who has not accepted it, and why.
func TestWait_late(t *testing.T) {
	f := newFleet(t, 2)
	f.Apply(configMap("2"))
	take(f.replicas[0], "2")
	f.replicas[1].Change(func(s *status.Status) { s.Stalled = status.At(time.Now()) })
	clock := clocktesting.NewFakeClock(time.Now())
	told := make(chan verdict.State, 10)
	w := f.wait(t.Context(), follow.Options{Clock: clock, Timeout: time.Hour, Each: func(r verdict.Row) {
		if r.State != verdict.Asked {
			told <- r.State
		}
	}})
	<-told
	<-told
	clock.Step(time.Hour)
	want := "the time is over: 1 of 2 containers accepted configmap/web; pod web-0001, container nginx is stuck: a volume or the state directory doesn't answer"
	if got := w.end(t).Result; got.Code != verdict.Wrong || got.Why != want {
		t.Errorf("got %+v, want %s", got, want)
	}
}

// TestWait_context: the context ends it at once, with its cause.
func TestWait_context(t *testing.T) {
	f := newFleet(t, 1)
	f.Apply(configMap("2"))
	ctx, cancel := context.WithCancel(t.Context())
	w := f.wait(ctx, follow.Options{Each: func(verdict.Row) { cancel() }})
	<-w.ended
	if w.err == nil {
		t.Errorf("got %+v", w.report)
	}
}

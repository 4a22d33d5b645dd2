package verdict

import (
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/kubectl-confit/pods"
)

// TestHurry: a container about which something was done is asked soon, and then from the shortest pause on.
func TestHurry(t *testing.T) {
	web := pods.Object{Kind: pods.ConfigMap, Name: "web"}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "web-0", UID: "1"}}
	pod.Spec.Containers = []corev1.Container{{Name: "web", Command: []string{"confit", "--", "web"}, VolumeMounts: []corev1.VolumeMount{{Name: "web", MountPath: "/confit/web"}}}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "web", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web"}}}}}
	pod.Status = corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: "web", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}}
	now := time.Date(2026, 11, 23, 9, 0, 0, 0, time.UTC)
	w := NewWait(Objects{web: {Object: web}}, false, false)
	w.SeePod(now, pod)
	w.Synced()
	asked := func(pause time.Duration) {
		t.Helper()
		if next := w.Next(); !next.Equal(now.Add(pause)) {
			t.Fatalf("it is asked after %v, want %v", next.Sub(now), pause)
		}
		now = now.Add(pause)
		list := w.Questions(now)
		if len(list) != 1 {
			t.Fatalf("asked are %v", list)
		}
		w.Tell(now, list[0], Answer{Err: errors.New("busy")})
	}
	for _, pause := range []time.Duration{0, time.Second, 1500 * time.Millisecond, 2250 * time.Millisecond} {
		asked(pause)
	}
	w.Hurry(now, "1")
	w.Hurry(now, "2")
	asked(hurryPause)
	asked(time.Second)
}

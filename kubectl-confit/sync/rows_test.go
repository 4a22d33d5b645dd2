package sync

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"confit/kubectl-confit/verdict"
)

// TestStates: each state of a container means something for its pod.
func TestStates(t *testing.T) {
	pod := func(string) *corev1.Pod { return &corev1.Pod{} }
	for state, want := range map[verdict.State]State{
		verdict.Accepted: Accepted, verdict.Live: OnItsWay, verdict.Gated: Gated, verdict.OnItsWay: OnItsWay, verdict.Behind: Missing, verdict.Starting: Coming,
		verdict.Asked: Coming, verdict.Unknown: Unknown, verdict.Stuck: Unknown, verdict.Rejected: OnItsWay,
	} {
		var f Fleet
		if got := f.Of([]verdict.Row{{State: state}}, pod); len(got) != 1 || got[0].State != want {
			t.Errorf("%s: got %v, want %d", state, got, want)
		}
	}
	var f Fleet
	if got := f.Of([]verdict.Row{{State: verdict.Rejected, Final: true}}, pod); len(got) != 1 || got[0].State != Rejected {
		t.Errorf("got %v", got)
	}
	soaks := Fleet{Soak: true}
	if got := soaks.Of([]verdict.Row{{State: verdict.Accepted}, {UID: "2", State: verdict.Accepted, Soaked: true}}, pod); len(got) != 2 || got[0].State != Soaking || got[1].State != Accepted {
		t.Errorf("got %v", got)
	}
	if got := f.Of([]verdict.Row{{State: verdict.Ended}, {State: verdict.Unfollowed}}, pod); len(got) > 0 {
		t.Errorf("got %v", got)
	}
	if got := f.Of([]verdict.Row{{State: verdict.Behind}}, func(string) *corev1.Pod { return nil }); len(got) > 0 {
		t.Errorf("got %v", got)
	}
}

// TestOf: of several containers of a pod that counts which is furthest back, and one gate is all pods' of the template.
func TestOf(t *testing.T) {
	specs := map[string]*corev1.Pod{}
	for uid, words := range map[string]string{"1": "confit -- web", "2": "confit --gate x -- web", "3": "confit -- web"} {
		specs[uid] = &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{UID: types.UID(uid), OwnerReferences: []metav1.OwnerReference{{UID: "set", Controller: new(true)}}},
			Spec: corev1.PodSpec{Containers: []corev1.Container{
				{Name: "a", Command: strings.Fields(words)}, {Name: "b", Command: strings.Fields("confit --gate y -- web")},
			}},
		}
	}
	row := func(uid, container string, s verdict.State) verdict.Row {
		return verdict.Row{Pod: "pod-" + uid, UID: uid, Container: container, State: s}
	}
	restarted := func(r verdict.Row) verdict.Row { r.Restarted = true; return r }
	var f Fleet
	for range 2 { // once more out of what it remembers
		got := f.Of([]verdict.Row{
			row("1", "a", verdict.Accepted), row("1", "b", verdict.Unfollowed),
			restarted(row("2", "a", verdict.Accepted)), row("2", "c", verdict.Behind),
			row("3", "b", verdict.Live), row("3", "a", verdict.Gated),
		}, func(uid string) *corev1.Pod { return specs[uid] })
		want := []Pod{{"pod-1", "1", "set ", Accepted, false, false}, {"pod-2", "2", "set ", Missing, true, true}, {"pod-3", "3", "set ", OnItsWay, true, false}}
		if len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

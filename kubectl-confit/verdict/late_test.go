package verdict_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"confit/kubectl-confit/verdict"
	"confit/status"
)

// tick is longer than any pause, so that each verb asks at each.
const tick = 31 * time.Second

// pod is the life of a pod whose object was edited from "1" to "2", and what its confit says.
type pod struct {
	random *rand.Rand
	now    time.Time
	pod    *corev1.Pod
	says   *status.Status
	born   int
	down   bool // its container waits to be started again
}

func newPod(t *testing.T, seed uint64) *pod {
	p, _ := inWeb(t, "configMap: {name: web}")
	l := &pod{random: rand.New(rand.NewPCG(seed, 3)), now: began, pod: p}
	l.replace()
	return l
}

func (l *pod) container() *corev1.ContainerStatus { return &l.pod.Status.ContainerStatuses[0] }

// replace is another pod of the same name, on which the edit is on its way.
func (l *pod) replace() {
	l.born++
	l.pod.UID = types.UID(fmt.Sprint(l.born))
	l.pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "c"}}
	l.says = says(nil)
	l.start()
}

// start has the kubelet start the container: what a former confit has accepted is stored.
func (l *pod) start() {
	c := l.container()
	if l.down {
		c.RestartCount++
	}
	c.ContainerID = fmt.Sprintf("%d-%d", l.born, c.RestartCount)
	c.State = corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.NewTime(l.now)}}
	l.down = false
	if l.says.Accepted.Proof != "" {
		l.says.Accepted.Proof = "stored"
	}
}

func (l *pod) die() {
	l.down = true
	l.container().State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}
	l.container().LastTerminationState = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 3, FinishedAt: metav1.NewTime(l.now)}}
}

// has reports that the edit is what is accepted.
func (l *pod) has() bool { return l.says.Accepted.Hash == "mounted" }

func (l *pod) accept() {
	l.says.Phase, l.says.Mounted.Keys, l.says.Keys["web/a"] = "running", map[string]status.Sum{}, sum("2")
	l.says.Accepted = &status.Accepted{Generation: status.Generation{Hash: "mounted", Since: status.At(l.now)}, Proof: "probation"}
}

// goDown has confit start the app on what was accepted before.
func (l *pod) goDown() {
	from := l.says.Accepted.Generation
	l.says = says(nil)
	l.says.Phase, l.says.GoneDown = "running", &status.GoneDown{From: from, Reason: "it ended with exit 3"}
	l.says.Accepted.Proof = "stored"
}

func (l *pod) reject() {
	l.says.GoneDown = nil
	rejection("soak", 1)(l.says)
}

// step lets one thing happen.
func (l *pod) step() {
	l.now = l.now.Add(tick)
	n := l.random.IntN(10)
	switch {
	case l.down && n < 6:
		l.start()
	case l.down:
	case n == 0:
		l.replace()
	case n < 4 && l.has() && !l.says.Accepted.Soaked:
		l.die()
	case n < 6 && l.has() && l.container().RestartCount > 0 && !l.says.Accepted.Soaked:
		l.goDown()
	case n < 7 && l.has():
		l.says.Accepted.Soaked = true
	case n < 8 && l.says.GoneDown != nil:
		l.reject()
	case n < 9 && !l.has() && l.says.GoneDown == nil && l.says.Rejection == nil:
		l.accept()
	}
	l.says.Updated = status.At(l.now)
}

// show lets a wait see the pod as it is now, and ask as often as it wants.
func (l *pod) show(w *verdict.Wait, last types.UID) {
	if last != "" && last != l.pod.UID {
		w.Gone(last)
	}
	w.SeePod(l.now, l.pod.DeepCopy())
	for range 3 {
		for _, q := range w.Questions(l.now) {
			s := *l.says
			w.Tell(l.now, q, verdict.Answer{Status: &s})
		}
	}
}

// verb is a wait that began at a tick.
type verb struct {
	*verdict.Wait
	since int
	last  types.UID
}

// TestWait_late: a wait that begins at any tick of a pod's life says what one that began before it says, or waits.
func TestWait_late(t *testing.T) {
	counted := map[string]int{}
	for seed := range uint64(100) {
		l := newPod(t, seed)
		var verbs []*verb
		for n := range 30 {
			l.step()
			w := &verb{Wait: verdict.NewWait(verdict.Objects{web: holding(web, "a", "2")}, false, false), since: n}
			verbs = append(verbs, w)
			var on []*verb
			first := ""
			for i, w := range verbs {
				l.show(w.Wait, w.last)
				w.Synced()
				l.show(w.Wait, "")
				w.last = l.pod.UID
				said := "waits"
				if r := w.Result(); r != nil {
					said = r.Why
				} else {
					on = append(on, w)
				}
				if i == 0 {
					first = said
				}
				if counted[said]++; said != first && said != "waits" {
					t.Fatalf("seed %d, tick %d: the wait of tick %d says %q, that of tick %d %q\n%+v\n%+v", seed, n, w.since, said, verbs[0].since, first, l.says, l.container())
				}
			}
			verbs = on
		}
	}
	if t.Logf("%v", counted); len(counted) < 3 {
		t.Errorf("too few ends: %v", counted)
	}
}

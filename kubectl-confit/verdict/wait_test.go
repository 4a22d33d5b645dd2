package verdict_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
	"confit/status"
)

// life is a wait over pods to which things happen at random, and what is true of them.
type life struct {
	t      *testing.T
	random *rand.Rand
	now    time.Time
	wait   *verdict.Wait
	pods   map[types.UID]*corev1.Pod
	has    map[types.UID]string // the text that a pod's confit has accepted
	bad    map[types.UID]int    // how often it has rejected "2" in validate
	out    []verdict.Question
	born   int
	first  time.Time               // when the last one told for the first time that it had accepted "2"
	done   map[string]bool         // who has, by pod and run
	told   map[types.UID]time.Time // the last answers
}

func (l *life) any() *corev1.Pod {
	if len(l.pods) == 0 {
		return nil
	}
	return l.pods[slices.Sorted(maps.Keys(l.pods))[l.random.IntN(len(l.pods))]]
}

func (l *life) add(name string) {
	p, _ := inWeb(l.t, "configMap: {name: web}")
	p.Name, p.UID = name, types.UID(name)
	l.pods[p.UID], l.has[p.UID] = p, "1"
	l.see(p)
}

func (l *life) see(p *corev1.Pod) { l.wait.SeePod(l.now, p.DeepCopy()) }

// answer is what a pod's confit says now.
func (l *life) answer(q verdict.Question) verdict.Answer {
	has := l.has[q.UID]
	s := says(func(s *status.Status) {
		s.Keys["web/a"] = sum(has)
		s.Updated = status.At(l.now)
		s.Mounted = &status.Mounted{Hash: has, Keys: map[string]status.Sum{}}
		s.Accepted.Hash, s.Live.Hash = has, has
		if n := l.bad[q.UID]; n > 0 && has == "1" {
			rejection("validate", n)(s)
			s.Mounted = &status.Mounted{Hash: "mounted", Keys: map[string]status.Sum{"web/a": status.Sum(sum("2"))}}
		}
	})
	return verdict.Answer{Status: s}
}

// step lets one thing happen.
func (l *life) step() {
	l.now = l.now.Add(time.Duration(l.random.IntN(3000)) * time.Millisecond)
	p := l.any()
	switch n := l.random.IntN(100); {
	case n < 5 && len(l.pods) < 6:
		l.born++
		l.add(fmt.Sprint("new-", l.born))
	case p == nil:
	case n < 10:
		delete(l.pods, p.UID)
		l.wait.Gone(p.UID)
	case n < 15:
		p.Status.ContainerStatuses[0].RestartCount++
		l.see(p)
	case n < 18:
		p.DeletionTimestamp = &metav1.Time{Time: l.now}
		l.see(p)
	case n < 20 && l.has[p.UID] == "2": // it dies of it late, and confit goes back without a restart
		l.has[p.UID], l.bad[p.UID] = "1", 2
	case n < 35:
		l.has[p.UID] = "2"
	case n < 45 && l.has[p.UID] == "1":
		l.bad[p.UID]++
	}
	l.out = append(l.out, l.wait.Questions(l.now)...)
	if len(l.out) > 16 {
		l.t.Errorf("%d questions are out", len(l.out))
	}
	for len(l.out) > 0 && l.random.IntN(2) == 0 {
		q := l.out[0]
		l.out = l.out[1:]
		l.tell(q)
	}
}

func (l *life) tell(q verdict.Question) {
	id := string(q.UID) + "/" + q.Run
	row := l.wait.Tell(l.now, q, l.answer(q))
	l.told[q.UID] = l.now
	if row != nil && row.State == verdict.Accepted && !l.done[id] {
		l.done[id], l.first = true, l.now
	}
}

// TestWait_lives: whatever happens, the end is right: 0 just if each pod that runs has said that it has it since all have, and 3 just if
// one has rejected it twice.
func TestWait_lives(t *testing.T) {
	counted := map[int]int{}
	for seed := range uint64(300) {
		l := &life{t: t, random: rand.New(rand.NewPCG(seed, 1)), now: began, pods: map[types.UID]*corev1.Pod{}, has: map[types.UID]string{}, bad: map[types.UID]int{}, done: map[string]bool{}, told: map[types.UID]time.Time{}}
		l.wait = verdict.NewWait(verdict.Objects{web: holding(web, "a", "2")}, false, false)
		for i := range 1 + l.random.IntN(4) {
			l.add(string(rune('a' + i)))
		}
		l.wait.Synced()
		var r *verdict.Result
		for range 400 {
			if r = l.wait.Result(); r != nil {
				break
			}
			l.step()
		}
		if r == nil {
			continue // it never ends, as in life
		}
		counted[r.Code]++
		running, lacking, refused := 0, 0, false
		for uid, p := range l.pods {
			if p.DeletionTimestamp != nil {
				continue
			}
			if running++; l.told[uid].Before(l.first) {
				lacking++
			}
		}
		for _, n := range l.bad {
			refused = refused || n > 1
		}
		switch {
		case r.Code == verdict.Well && (running == 0 || lacking > 0), r.Code == verdict.Wrong && running > 0, r.Code == verdict.Bad && !refused:
			t.Fatalf("seed %d: %+v with %d pods, of which %d may have lost it", seed, r, running, lacking)
		}
	}
	if t.Logf("%v", counted); counted[0] < 100 || counted[1] < 20 || counted[3] < 10 {
		t.Errorf("too few of a kind: %v", counted)
	}
}

// TestWait_next: nobody is due as long as everybody is asked or done.
func TestWait_next(t *testing.T) {
	w := verdict.NewWait(verdict.Objects{web: holding(web, "a", "2")}, false, false)
	p, _ := inWeb(t, "configMap: {name: web}")
	w.SeePod(began, p)
	w.Synced()
	if got := w.Next(); !got.Equal(began) {
		t.Errorf("got %v", got)
	}
	q := w.Questions(began)
	if len(q) != 1 || !w.Next().IsZero() || len(w.Questions(began)) > 0 {
		t.Errorf("got %v, %v", q, w.Next())
	}
	w.Tell(began, q[0], verdict.Answer{Status: says(nil)})
	if got := w.Next(); !got.Equal(began.Add(time.Second)) {
		t.Errorf("got %v", got)
	}
	late := w.Late()
	if late.Code != verdict.Wrong {
		t.Errorf("got %+v", late)
	}
	w.SeeObject(began, web, holding(web, "a", "3"))
	if r := w.Result(); r == nil || r.Code != verdict.Wrong || w.Late() != *r {
		t.Errorf("got %+v", r)
	}
	w.SeeObject(began, pods.Object{Kind: pods.Secret, Name: "x"}, nil) // nobody has asked about it
}

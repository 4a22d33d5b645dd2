package cli

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"

	"confit/kubectl-confit/internal/scripted"
	"confit/status"
)

// fleet is a world with a kubelet that looks at a pod when it changes.
type fleet struct {
	*world
	lock   sync.Mutex
	asks   []string                                      // pods whose annotation has changed
	took   map[string]func(r *scripted.Replica, ask int) // what a pod does when its kubelet looks for the nth time; nil: it accepts
	core   *client.CoreV1Client
	confit map[string]*scripted.Replica // by pod
}

// newFleet has pods web-0, web-1 …, or of other names, whose ConfigMap was just edited.
func newFleet(t *testing.T, n int, names ...string) *fleet {
	t.Helper()
	f := &fleet{world: newWorld(t, configMap("web", "nginx.conf", "old")), took: map[string]func(*scripted.Replica, int){}, confit: map[string]*scripted.Replica{}}
	config, err := clientcmd.BuildConfigFromFlags("", f.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	if f.core, err = client.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	for i := range n {
		name := fmt.Sprintf("web-%d", i)
		if len(names) > 0 {
			name = names[i]
		}
		f.confit[name] = f.add(name, "nginx.conf")
		f.ChangePod("shop", name, func(p *corev1.Pod) {
			p.OwnerReferences = []metav1.OwnerReference{{UID: "set", Controller: new(true)}}
		})
	}
	f.Apply(configMap("web", "nginx.conf", "new"))
	f.kubelet()
	return f
}

// kubelet plays them.
func (f *fleet) kubelet() {
	changes, err := f.core.Pods("shop").Watch(f.t.Context(), metav1.ListOptions{})
	if err != nil {
		f.t.Fatal(err)
	}
	seen := map[string]string{}
	go func() {
		for e := range changes.ResultChan() {
			pod, ok := e.Object.(*corev1.Pod)
			if !ok || pod.Annotations[SyncAnnotation] == seen[pod.Name] {
				continue
			}
			seen[pod.Name] = pod.Annotations[SyncAnnotation]
			f.look(pod.Name, f.confit[pod.Name])
		}
	}()
}

func (f *fleet) look(name string, r *scripted.Replica) {
	f.lock.Lock()
	defer f.lock.Unlock()
	f.asks = append(f.asks, name)
	ask := 0
	for _, a := range f.asks {
		if a == name {
			ask++
		}
	}
	if took := f.took[name]; took != nil {
		took(r, ask)
		return
	}
	f.bring(r)
	r.Accept()
}

func (f *fleet) bring(r *scripted.Replica) { r.Bring("/confit/web", f.data("web")) }

// asked are the pods whose kubelets have looked, so far; each once, as a slow one is asked again.
func (f *fleet) asked() []string {
	f.lock.Lock()
	defer f.lock.Unlock()
	var once []string
	for _, name := range f.asks {
		if !slices.Contains(once, name) {
			once = append(once, name)
		}
	}
	return once
}

const waves = `Syncing web-0: alone; the others follow when it has accepted it
Syncing web-1, web-2: a quarter at a time
Syncing web-3, web-4: a quarter at a time
Syncing web-5, web-6: a quarter at a time
Syncing web-7, web-8: a quarter at a time
`

// syncing are the lines about waves.
func syncing(stderr string) (lines string) {
	for line := range strings.Lines(stderr) {
		if strings.HasPrefix(line, "Syncing ") || strings.HasPrefix(line, "Not synced") {
			lines += line
		}
	}
	return lines
}

// TestSync: one, then the others in four parts, and the verdict is that of wait.
func TestSync(t *testing.T) {
	f := newFleet(t, 9)
	r := f.run("sync", "configmap/web")
	if r.code != 0 || r.stdout != "configmap/web accepted by 9 containers\n" || syncing(r.stderr) != waves {
		t.Errorf("got %+v", r)
	}
	if len(f.asked()) != 9 || f.asked()[0] != "web-0" {
		t.Errorf("asked were %v", f.asked())
	}
	for _, name := range []string{"web-0", "web-8"} {
		pod := f.Get("pods", "shop", name).(*corev1.Pod)
		if _, err := time.Parse(time.RFC3339Nano, pod.Annotations[SyncAnnotation]); err != nil {
			t.Error(err)
		}
	}
	if again := f.run("sync", "configmap/web"); again.code != 0 || syncing(again.stderr) != "" {
		t.Errorf("once more: got %+v", again)
	}
}

// TestSyncRejected: when the third pod rejects it the others aren't synced, and that is said.
func TestSyncRejected(t *testing.T) {
	f := newFleet(t, 5)
	f.took["web-2"] = func(r *scripted.Replica, _ int) {
		f.bring(r)
		r.Reject("probation", "exit 1", "no good", 1)
	}
	r := f.run("sync", "configmap/web")
	const want = "Syncing web-0: alone; the others follow when it has accepted it\nSyncing web-1: a quarter at a time\nSyncing web-2: a quarter at a time\n" +
		"Not synced: web-3, web-4. Their kubelets bring it by themselves within two minutes: put the old object back before that\n"
	if r.code != 3 || r.stdout != "" || syncing(r.stderr) != want || !strings.Contains(r.stderr, "no good") {
		t.Errorf("got %+v", r)
	}
	if got := f.asked(); !slices.Equal(got, []string{"web-0", "web-1", "web-2"}) {
		t.Errorf("asked were %v", got)
	}
}

// TestSyncAtOnce: by --all, by a gate in the spec, and by one that shows.
func TestSyncAtOnce(t *testing.T) {
	t.Run("all", func(t *testing.T) {
		r := newFleet(t, 5).run("sync", "configmap/web", "--all")
		if r.code != 0 || syncing(r.stderr) != "Syncing web-0, web-1, web-2 and 2 more: all at once\n" {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("spec", func(t *testing.T) {
		f := newFleet(t, 5)
		for i := range 5 {
			f.ChangePod("shop", fmt.Sprint("web-", i), func(p *corev1.Pod) {
				p.Spec.Containers[0].Command = []string{"/.confit/confit", "--gate", "confitctl gate", "--", "nginx"}
			})
		}
		r := f.run("sync", "configmap/web")
		if r.code != 0 || syncing(r.stderr) != "Syncing web-0, web-1, web-2 and 2 more: at once, as their gate says when each goes on\n" {
			t.Errorf("got %+v", r)
		}
	})
	t.Run("shown", func(t *testing.T) {
		f := newFleet(t, 5)
		f.took["web-0"] = func(r *scripted.Replica, _ int) {
			f.bring(r)
			r.Change(func(s *status.Status) { s.Gate, s.Phase = &status.Gate{Since: status.At(time.Now())}, "gating" })
		}
		s := f.start("Syncing web-1, web-2, web-3 and 1 more: at once, as their gate says when each goes on\n", "sync", "configmap/web")
		f.confit["web-0"].Change(func(s *status.Status) { s.Gate = nil })
		f.confit["web-0"].Accept()
		if r := s.ends(); r.code != 0 {
			t.Errorf("got %+v", r)
		}
	})
}

// TestSyncAgain: a kubelet that doesn't have the new object yet is asked again, and so is one that could not be.
func TestSyncAgain(t *testing.T) {
	f := newFleet(t, 1)
	f.took["web-0"] = func(r *scripted.Replica, ask int) {
		if ask == 3 {
			f.bring(r)
			r.Accept()
		}
	}
	refused := 0
	f.Refuse(func(verb, _, _ string) int {
		if verb == "patch" && refused < 1 {
			refused++
			return 500
		}
		return 0
	})
	r := f.run("sync", "configmap/web")
	if r.code != 0 || len(f.asks) != 3 || !strings.Contains(r.stderr, "\ncannot annotate pod web-0: ") {
		t.Errorf("asked were %v: %+v", f.asks, r)
	}
}

// TestSyncForbidden: the right that is missing is named, and nothing goes on.
func TestSyncForbidden(t *testing.T) {
	f := newFleet(t, 3)
	f.Refuse(func(verb, resource, _ string) int {
		if verb+" "+resource == "patch pods" {
			return 403
		}
		return 0
	})
	r := f.run("sync", "configmap/web")
	if r.code != 1 || !strings.Contains(r.stderr, "kubectl-confit: cannot annotate pod web-0: the right to patch pods is missing: ") || len(f.asked()) > 0 {
		t.Errorf("got %+v", r)
	}
}

// TestSyncPods: pods that go and come in the middle of it.
func TestSyncPods(t *testing.T) {
	f := newFleet(t, 5)
	f.took["web-0"] = func(*scripted.Replica, int) { f.Delete("pods", "shop", "web-0") }
	f.took["web-1"] = func(r *scripted.Replica, _ int) {
		f.bring(r)
		r.Accept()
		f.add("web-9", "nginx.conf") // it has started on the new keys
	}
	r := f.run("sync", "configmap/web")
	if r.code != 0 || r.stdout != "configmap/web accepted by 5 containers\n" || !slices.Equal(f.asked()[:2], []string{"web-0", "web-1"}) || slices.Contains(f.asked(), "web-9") {
		t.Errorf("asked were %v: %+v", f.asked(), r)
	}
	if !strings.Contains(r.stderr, "Syncing web-1: alone;") {
		t.Errorf("got %s", r.stderr)
	}
}

// TestSyncEnds: by its time, or by a signal; both say nothing wrong.
func TestSyncEnds(t *testing.T) {
	f := newFleet(t, 3)
	f.took["web-0"] = func(*scripted.Replica, int) {}
	r := f.run("sync", "configmap/web", "--timeout", "2s")
	if r.code != 1 || !strings.HasSuffix(syncing(r.stderr), "Not synced: web-1, web-2. Their kubelets bring it by themselves within two minutes\n") {
		t.Errorf("got %+v", r)
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	s := f.start("Syncing web-0", "sync", "configmap/web")
	_ = self.Signal(os.Interrupt)
	if r := s.ends(); r.code != 130 || r.stdout != "" {
		t.Errorf("got %+v", r)
	}
}

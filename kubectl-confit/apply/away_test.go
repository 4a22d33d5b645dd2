package apply

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/internal/scripted"
	"confit/kubectl-confit/pods"
	"confit/kubectl-confit/verdict"
)

// shop has a ConfigMap as kubectl apply has left it, and a pod that follows that and a Secret which isn't there.
type shop struct {
	*scripted.Server
	*testing.T
	run Run
}

// applied1 is the ConfigMap as kubectl apply has applied it.
const applied1 = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"web","namespace":"shop"},"data":{"a":"one"}}`

func newShop(t *testing.T) *shop {
	c := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", Annotations: map[string]string{last: applied1}}, Data: map[string]string{"a": "one"}}
	c.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: "kubectl-client-side-apply", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1",
		FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(`{"f:data":{".":{},"f:a":{}},"f:metadata":{"f:annotations":{".":{},"f:` + last + `":{}}}}`)}}
	s := &shop{scripted.Start(t, nil, c), t, Run{}}
	flags, set := cluster.NewFlags(), pflag.NewFlagSet("", pflag.ContinueOnError)
	flags.AddTo(set)
	if err := set.Parse([]string{"--kubeconfig", s.Kubeconfig(), "-n", "shop"}); err != nil {
		t.Fatal(err)
	}
	client, err := flags.Connect(cluster.Patience{For: time.Minute, Say: func(string) {}})
	if err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{}
	pod.Spec.Volumes = []corev1.Volume{
		{Name: "web", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "web"}}}},
		{Name: "tls", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "tls"}}},
	}
	pod.Spec.Containers = []corev1.Container{{Name: "nginx", Command: []string{"confit"}, VolumeMounts: []corev1.VolumeMount{
		{Name: "web", MountPath: "/confit/web"}, {Name: "tls", MountPath: "/confit/tls"}}}}
	s.run = Run{Store: &Store{Client: client, Manager: DefaultManager}, Pods: []*corev1.Pod{pod}, Undo: true, Say: func(string) {}, Patience: time.Minute}
	s.settles(func(back bool) int {
		if back {
			return verdict.Well
		}
		return verdict.Bad
	})
	return s
}

// settles says how the pods take it.
func (s *shop) settles(code func(back bool) int) {
	s.run.Settle = func(_ context.Context, _ verdict.Objects, back bool) (*follow.Report, error) {
		return &follow.Report{Result: verdict.Result{Code: code(back)}}, nil
	}
}

// objects are an edit of both.
func objects() []*Object {
	given := func(kind, name, field string, keys map[string]any) *Object {
		u := &unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": kind, "metadata": map[string]any{"name": name, "namespace": "shop"}, field: keys}}
		return &Object{Object: pods.Object{Kind: kind, Name: name}, Given: u}
	}
	return []*Object{given("ConfigMap", "web", "data", map[string]any{"a": "two"}), given("Secret", "tls", "data", map[string]any{"key": "dHdv"})}
}

// ends is what comes of a run, versions aside.
func (s *shop) ends(list []*Object) string {
	report := s.run.Do(s.Context(), list)
	web, tls := s.Get("configmaps", "shop", "web").(*corev1.ConfigMap), s.Get("secrets", "shop", "tls")
	var owners []string
	for _, entry := range web.ManagedFields {
		owners = append(owners, entry.Manager+" "+entry.FieldsV1.GetRawString())
	}
	slices.Sort(owners)
	lines := append(report.Lines(), web.Data["a"], web.Annotations[last], strings.Join(owners, " "))
	if tls != nil {
		lines = append(lines, "secret/tls is there")
	}
	return strings.Join(lines, "\n")
}

// nth refuses the nth request of a kind; it says whether there was one.
func (s *shop) nth(kind string, n, code int) (met func() bool) {
	var lock sync.Mutex
	seen := 0
	s.Refuse(func(verb, resource, _ string) int {
		lock.Lock()
		defer lock.Unlock()
		if verb+" "+resource == kind {
			if seen++; seen == n {
				return code
			}
		}
		return 0
	})
	return func() bool {
		lock.Lock()
		defer lock.Unlock()
		return seen >= n
	}
}

// TestAway_each: whichever request has no answer, whether it has happened or not, what comes of it is the same.
func TestAway_each(t *testing.T) {
	cut, both := []int{scripted.Cut}, []int{scripted.Cut, scripted.Lost}
	hows := map[byte][]int{'g': cut, 'p': both, 'u': both, 'd': both}
	for name, code := range map[string]int{"forward": verdict.Well, "and back": verdict.Bad} {
		settles := func(back bool) int {
			if back {
				return verdict.Well
			}
			return code
		}
		s := newShop(t)
		s.settles(settles)
		want := s.ends(objects())
		if (code == verdict.Well) != strings.HasSuffix(want, "secret/tls is there") {
			t.Fatal(want)
		}
		for _, kind := range []string{"get configmaps", "patch configmaps", "update configmaps", "get secrets", "patch secrets", "delete secrets"} {
			for n, more := 1, true; more; n++ {
				for _, how := range hows[kind[0]] {
					s := newShop(t)
					s.settles(settles)
					met := s.nth(kind, n, how)
					if got := s.ends(objects()); got != want {
						t.Errorf("%s, %s %d of %s: got\n%s\nwant\n%s", name, map[int]string{scripted.Cut: "cut", scripted.Lost: "lost"}[how], n, kind, got, want)
					}
					more = met()
				}
			}
		}
	}
}

// TestAway_changed: who changes it while the answer is lost is not overwritten.
func TestAway_changed(t *testing.T) {
	s := newShop(t)
	list := objects()[:1]
	cut := false
	s.Refuse(func(verb, resource, _ string) int {
		if verb+" "+resource != "patch configmaps" || cut || list[0].Merged == nil {
			return 0
		}
		cut = true
		s.Apply(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop"}, Data: map[string]string{"a": "three"}})
		return scripted.Cut
	})
	report := s.run.Do(s.Context(), list)
	if !strings.Contains(report.Why, "somebody has changed it meanwhile; run this again") || len(report.Applied) > 0 {
		t.Errorf("got %+v", report)
	}
	if a := s.Get("configmaps", "shop", "web").(*corev1.ConfigMap).Data["a"]; a != "three" {
		t.Errorf("it is %s", a)
	}
}

// TestAway_left: what can't be put back, and what may have been applied, stands in the last line, with the command that fixes it.
func TestAway_left(t *testing.T) {
	s := newShop(t)
	s.settles(func(bool) int { // it is applied by now, however long that took
		s.run.Patience = time.Second
		s.Away()
		return verdict.Bad
	})
	report := s.run.Do(s.Context(), objects())
	s.Back()
	lines := report.Lines()
	for i, want := range [][2]string{ // the cause is the system's: it has many words for a server that is away
		{"cannot put back configmap/web: ", ": kubectl apply --server-side -n shop -f FILE does that, with the FILE of before"},
		{"cannot put back secret/tls: ", ": kubectl delete secret/tls -n shop does that"},
	} {
		if got := lines[len(lines)-2+i]; !strings.HasPrefix(got, want[0]) || !strings.HasSuffix(got, want[1]) || len(got) <= len(want[0]+want[1]) {
			t.Errorf("got %s, want %s…%s", got, want[0], want[1])
		}
	}
	if report.Undo == nil || report.Undo.Done {
		t.Errorf("got %+v", report.Undo)
	}
}

// TestAway_unsure: nobody knows whether it was applied, and that is said; --undo finds out.
func TestAway_unsure(t *testing.T) {
	for _, undo := range []bool{false, true} {
		s := newShop(t)
		s.run.Undo, s.run.Patience = undo, 3*time.Second // in which a busy machine begins
		list := objects()[:1]
		list[0].Given.SetAnnotations(map[string]string{"edit": "two"})
		s.Refuse(func(verb, resource, _ string) int {
			web := s.Get("configmaps", "shop", "web").(*corev1.ConfigMap)
			if verb+" "+resource == "get configmaps" && web.Data["a"] == "two" {
				go s.Away()
				return scripted.Cut
			}
			if verb+" "+resource == "patch configmaps" && list[0].Merged != nil && web.ManagedFields[0].Manager == DefaultManager {
				return scripted.Lost
			}
			return 0
		})
		done := make(chan *Report, 1)
		go func() { done <- s.run.Do(s.Context(), list) }()
		report := <-done
		if !list[0].Unsure || !errors.Is(report.err, errUnsure) {
			t.Errorf("got %+v", report)
		}
		want := "configmap/web may have been applied: kubectl confit status configmap/web says so when the server answers"
		if lines := report.Lines(); !undo && lines[len(lines)-1] != want {
			t.Errorf("got %s, want %s", lines, want)
		}
	}
}

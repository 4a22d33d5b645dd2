package cli

import (
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// podFrom reads a pod of namespace shop.
func podFrom(t *testing.T, text string) *corev1.Pod {
	t.Helper()
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict([]byte(text), &pod); err != nil {
		t.Fatal(err)
	}
	pod.Namespace, pod.Status = "shop", runs(pod.Spec.Containers[0].Name)
	return &pod
}

const sharing = `
metadata: {name: shared}
spec:
  containers: [{name: web, command: [confit, --, web], volumeMounts: [{name: all, mountPath: /confit/all}]}]
  volumes: [{name: all, projected: {sources: [{configMap: {name: web}}, {secret: {name: other}}, {configMap: {name: none, optional: true}}]}}]
`

// TestCheckShared: what shares a volume with a given object comes from the API, and its values are hidden, too.
func TestCheckShared(t *testing.T) {
	other := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "other", Namespace: "shop"}, Data: map[string][]byte{"key": []byte("othersecret")}}
	n := newNode(t, podFrom(t, sharing), other)
	n.code, n.said = 78, "bad: othersecret\n"
	if r := n.check(newWeb); r != (result{3, "REFUSED: configmap/web, container web of pod shared\n  bad: [key of secret/other]\n", ""}) {
		t.Errorf("got %+v", r)
	}
	if want := map[string]map[string]string{"all": {"a": "new", "key": "othersecret"}}; len(n.fed) != 1 || !reflect.DeepEqual(n.fed[0], want) {
		t.Errorf("the trial got %v", n.fed)
	}
	n.Refuse(func(verb, resource, _ string) int {
		if verb == "get" && resource == "secrets" {
			return 403
		}
		return 0
	})
	r := n.check(newWeb)
	if r.code != 1 || !strings.Contains(r.stdout, "\n  cannot read secret/other, which shares a volume with what is given: the right to get secrets is missing: ") {
		t.Errorf("got %+v", r)
	}
}

// TestCheckNever: what the kubelet would bring to nobody is refused without a copy.
func TestCheckNever(t *testing.T) {
	n := newNode(t, podFrom(t, strings.Replace(sharing, "{name: web}}", "{name: web, items: [{key: z, path: z}]}}", 1)))
	r := n.check(newWeb)
	if want := "REFUSED: configmap/web, container web of pod shared\n  the kubelet would leave the volume as it is: the one at \"/confit/all\" needs key \"z\" of configmap/web, which isn't there; write optional: true if it may be missing"; r.code != 3 || !strings.HasPrefix(r.stdout, want) || n.Requests()["create pods"] > 0 {
		t.Errorf("got %+v", r)
	}
}

// TestCheckScope: which pods are asked, and what is said of those that aren't.
func TestCheckScope(t *testing.T) {
	db := tlsPod("db-0")
	db.OwnerReferences[0].UID = "db"
	n := newNode(t, tlsPod("web-0"), db, podFrom(t, `
metadata: {name: old}
spec:
  containers: [{name: old, volumeMounts: [{name: web, mountPath: /etc/a, subPath: a}]}]
  volumes: [{name: web, configMap: {name: web}}]
`), podFrom(t, `
metadata: {name: plain}
spec:
  containers: [{name: plain, volumeMounts: [{name: web, mountPath: /etc/web}]}]
  volumes: [{name: web, configMap: {name: web}}]
`))
	other := tlsPod("confit-check-other") // of another check
	other.Labels = map[string]string{"confit/check": "true"}
	other.Spec.Containers[0].Command = []string{"/bin/confit", "--try", "-"}
	going := tlsPod("going")
	going.DeletionTimestamp, going.Spec.Containers[0].Command = new(metav1.Now()), []string{"web"}
	n.Apply(other, going)
	t.Cleanup(func() { n.Delete("pods", "shop", other.Name) })
	const both = newWeb + "\n---\n" + newSecret
	const notes = "kubectl-confit: old has configmap/web by subPath or in the environment, where an edit never arrives\n" +
		"kubectl-confit: plain has configmap/web in containers without confit, which nobody can ask\n"
	const bothOf = "TAKEN: configmap/web and secret/web, container web of pod "
	for _, c := range []struct {
		manifest string
		args     []string
		want     result
	}{
		{both, nil, result{0, bothOf + "db-0\n" + bothOf + "web-0\n", notes}},
		{both, []string{"cm/web"}, result{0, bothOf + "db-0\n" + bothOf + "web-0\n", notes}},
		{both, []string{"secret/web"}, result{0, bothOf + "db-0\n" + bothOf + "web-0\n", ""}},
		{both, []string{"po/db-0"}, result{0, bothOf + "db-0\n", ""}},
		{newSecret, []string{"pod/old"}, result{1, "", "kubectl-confit: nothing can be tried: no pod that runs follows secret/web\n"}},
		{newWeb, []string{"secret/web"}, result{1, "", "kubectl-confit: secret/web isn't in -, which has configmap/web\n"}},
		{newWeb, []string{"pod/none"}, result{1, "", `kubectl-confit: cannot read pod/none: pods "none" not found` + "\n"}},
		{newSecret, []string{"pod/web-0", "pod/db-0", "pod/old"}, result{0, strings.ReplaceAll(bothOf+"db-0\n"+bothOf+"web-0\n", "configmap/web and ", ""), ""}},
		{newWeb, []string{"pod/web-0", "cm/none"}, result{1, "", `kubectl-confit: cannot read configmap/none: configmaps "none" not found` + "\n"}},
		{newWeb, []string{"--timeout", "1ms"}, result{64, "", "kubectl-confit: --timeout is 1ms: write one second at least; see kubectl confit check --help\n"}},
		{"kind: ConfigMap\n{", nil, result{1, "", "kubectl-confit: cannot read -: "}},
		{newWeb + "\n---\n{apiVersion: v1, kind: Service, metadata: {name: web}}", []string{"pod/web-0"}, result{
			0, "TAKEN: configmap/web, container web of pod web-0\n", "kubectl-confit: only ConfigMaps and Secrets are tried: service/web isn't\n",
		}},
	} {
		r := n.check(c.manifest, c.args...)
		if strings.HasSuffix(c.want.stderr, ": ") {
			r.stderr = r.stderr[:min(len(c.want.stderr), len(r.stderr))]
		}
		if r != c.want {
			t.Errorf("%q: got %+v\nwant %+v", c.args, r, c.want)
		}
	}
	if r := call(nil, "check"); r != (result{64, "", "kubectl-confit: -f is missing: write -f FILE, or -f - for stdin; see kubectl confit check --help\n"}) {
		t.Errorf("got %+v", r)
	}
}

// TestCheckBytes: the new bytes are in no object that the API server gets.
func TestCheckBytes(t *testing.T) {
	n := newNode(t, tlsPod("web-0"))
	n.start = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted"}
	var seen []string
	n.Refuse(func(verb, resource, name string) int {
		if verb == "delete" {
			pod, err := yaml.Marshal(n.Get("pods", "shop", name))
			if err != nil {
				t.Error(err)
			}
			seen = append(seen, string(pod))
		}
		return 0
	})
	n.check(newSecret)
	if len(seen) != 1 || strings.Contains(seen[0], "topsecret") || strings.Contains(seen[0], "dG9wc2VjcmV0") || !strings.Contains(seen[0], "confit/check") {
		t.Errorf("the copy is %s", seen)
	}
}

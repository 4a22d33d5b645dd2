package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"confit/kubectl-confit/pods"
)

var (
	webMap    = pods.Object{Kind: pods.ConfigMap, Name: "web"}
	webSecret = pods.Object{Kind: pods.Secret, Name: "web"}
	caMap     = pods.Object{Kind: pods.ConfigMap, Name: "ca"}
)

// follower is a pod of a template, with confit in two containers; the second one follows nothing.
func follower(t *testing.T, name, template string, ready bool) *corev1.Pod {
	t.Helper()
	pod := readPod(t, fmt.Sprintf(`
metadata: {name: %s, uid: %[1]s, labels: {controller-revision-hash: %s}, ownerReferences: [{uid: owner, controller: true}]}
spec:
  containers:
  - {name: web, command: [confit, --, web], volumeMounts: [{name: web, mountPath: /confit/web}, {name: sub, mountPath: /x, subPath: x}]}
  - {name: other, command: [confit, --, other], volumeMounts: [{name: sub, mountPath: /x, subPath: x}]}
  - {name: third, command: [web], volumeMounts: [{name: web, mountPath: /etc/web}]}
  volumes: [{name: web, configMap: {name: web}}, {name: sub, secret: {secretName: web}}]
`, name, template))
	pod.Status.Phase = corev1.PodRunning
	if ready {
		pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	return pod
}

// TestTrials: one for each template, in a pod that is ready.
func TestTrials(t *testing.T) {
	alone := follower(t, "d", "", true)
	alone.OwnerReferences = nil
	ending := follower(t, "e", "third", true)
	ending.DeletionTimestamp = &metav1.Time{}
	failed := follower(t, "f", "fourth", true)
	failed.Status.Phase = corev1.PodFailed
	list := []*corev1.Pod{follower(t, "c", "one", true), follower(t, "b", "one", true), follower(t, "a", "one", false), alone, ending, failed, follower(t, "g", "two", false)}
	for _, c := range []struct {
		given Given
		want  string
	}{
		{Given{webMap: {}}, "b/web×3 configmap/web; d/web×1 configmap/web; g/web×1 configmap/web"},
		{Given{webMap: {}, caMap: {}, webSecret: {}}, "b/web×3 configmap/web; d/web×1 configmap/web; g/web×1 configmap/web"},
		{Given{webSecret: {}}, ""},
		{Given{}, ""},
	} {
		var got []string
		for _, trial := range Trials(list, c.given) {
			got = append(got, fmt.Sprintf("%s/%s×%d %s", trial.Pod.Name, trial.Container.Name, trial.Pods, strings.Join(names(trial.Objects), " ")))
		}
		if s := strings.Join(got, "; "); s != c.want {
			t.Errorf("%v: got %s, want %s", c.given, s, c.want)
		}
	}
	if list[0].UID != types.UID("c") {
		t.Error("the list was sorted")
	}
}

// mounting is a pod with volumes of confit.
func mounting(t *testing.T, mounts, volumes string) *Trial {
	t.Helper()
	pod := readPod(t, "metadata: {name: web, uid: web}\nspec:\n  containers: [{name: web, command: [confit, --, web], volumeMounts: ["+mounts+"]}]\n  volumes: ["+volumes+"]\n")
	trials := Trials([]*corev1.Pod{pod}, Given{webMap: {"a": nil}, webSecret: {"k": nil}})
	if len(trials) != 1 {
		t.Fatalf("there are %d trials", len(trials))
	}
	return trials[0]
}

// TestPayload: volumes as --try reads them.
func TestPayload(t *testing.T) {
	held := map[pods.Object]map[string][]byte{webMap: {"a": []byte("A"), "b": {0, 255}}, webSecret: {"k": []byte("K")}, caMap: {"ca": []byte("CA")}}
	for name, c := range map[string]struct {
		mounts, volumes string
		needs           string
		want            map[string]map[string][]byte
		err             string
	}{
		"whole": {"{name: w, mountPath: /confit/web}", "{name: w, configMap: {name: web}}", "", map[string]map[string][]byte{"web": {"a": []byte("A"), "b": {0, 255}}}, ""},
		"items": {
			"{name: w, mountPath: /confit/web/}", "{name: w, configMap: {name: web, items: [{key: a, path: x/y}]}}", "",
			map[string]map[string][]byte{"web": {"x/y": []byte("A")}}, "",
		},
		"two volumes, and one that nothing is given of": {
			"{name: w, mountPath: /confit/w}, {name: s, mountPath: /confit/s}, {name: c, mountPath: /confit/c}", "{name: w, configMap: {name: web}}, {name: s, secret: {secretName: web}}, {name: c, configMap: {name: ca}}", "",
			map[string]map[string][]byte{"w": {"a": []byte("A"), "b": {0, 255}}, "s": {"k": []byte("K")}}, "",
		},
		"projected with another object": {
			"{name: p, mountPath: /confit/p}", "{name: p, projected: {sources: [{configMap: {name: web}}, {configMap: {name: ca}}, {secret: {name: none, optional: true}}]}}", "configmap/ca secret/none",
			map[string]map[string][]byte{"p": {"a": []byte("A"), "b": {0, 255}, "ca": []byte("CA")}}, "",
		},
		"an item that isn't there": {
			"{name: w, mountPath: /confit/w}", "{name: w, configMap: {name: web, items: [{key: z, path: z}]}}", "", nil,
			`the kubelet would leave the volume as it is: the one at "/confit/w" needs key "z" of configmap/web, which isn't there; write optional: true if it may be missing`,
		},
		"an object that isn't there": {
			"{name: p, mountPath: /confit/p}", "{name: p, projected: {sources: [{configMap: {name: web}}, {secret: {name: none}}]}}", "secret/none", nil,
			`the kubelet would leave the volume as it is: the one at "/confit/p" needs secret/none, which isn't there; write optional: true if it may be missing`,
		},
		"by subPath, too": {
			"{name: w, mountPath: /confit/w}, {name: w, mountPath: /confit/x, subPath: a}", "{name: w, configMap: {name: web}}", "",
			map[string]map[string][]byte{"w": {"a": []byte("A"), "b": {0, 255}}}, "",
		},
		"optional items": {
			"{name: w, mountPath: /confit/w}", "{name: w, configMap: {name: web, optional: true, items: [{key: z, path: z}]}}", "", map[string]map[string][]byte{"w": {}}, "",
		},
		"elsewhere": {"{name: w, mountPath: /etc/w}", "{name: w, configMap: {name: web}}", "", nil, `the volume at "/etc/w" isn't below "/confit", and only such ones can be tried`},
		"the directory of volumes": {
			"{name: w, mountPath: /confit}", "{name: w, configMap: {name: web}}", "", nil, `the volume at "/confit" isn't below "/confit", and only such ones can be tried`,
		},
		"with a token": {
			"{name: p, mountPath: /confit/p}", "{name: p, projected: {sources: [{configMap: {name: web}}, {serviceAccountToken: {path: t}}]}}", "", nil,
			`the volume at "/confit/p" has t, too, of a token or of fields of the pod, which nobody else can know`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			trial := mounting(t, c.mounts, c.volumes)
			if needs := strings.Join(names(trial.Needs()), " "); needs != c.needs {
				t.Errorf("it needs %q", needs)
			}
			text, err := trial.Payload(held)
			if c.err != "" {
				if err == nil || err.Error() != c.err || errors.Is(err, ErrNever) != strings.Contains(c.err, "kubelet") {
					t.Errorf("got %v", err)
				}
				return
			}
			var got map[string]map[string][]byte
			if err != nil || json.Unmarshal(text, &got) != nil || !reflect.DeepEqual(got, c.want) {
				t.Errorf("got %s, %v", text, err)
			}
		})
	}
}

// TestPayloadBound: what --try wouldn't read isn't sent.
func TestPayloadBound(t *testing.T) {
	trial := mounting(t, "{name: w, mountPath: /confit/w}", "{name: w, configMap: {name: web}}")
	// {"w":{"a":"…"}} has 14 bytes beside the base64
	for size, fits := range map[int]bool{(most - 14) / 4 * 3: true, (most-14)/4*3 + 3: false} {
		text, err := trial.Payload(map[pods.Object]map[string][]byte{webMap: {"a": make([]byte, size)}})
		if (err == nil) != fits {
			t.Errorf("%d bytes: %d, %v", size, len(text), err)
		}
	}
}

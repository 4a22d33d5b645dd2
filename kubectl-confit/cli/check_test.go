package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	client "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/yaml"

	"confit/kubectl-confit/check"
	"confit/kubectl-confit/internal/scripted"
)

// node is the kubelet of copies: it starts each, and ends it when it has its stdin.
type node struct {
	*scripted.Server
	t    *testing.T
	core *client.CoreV1Client

	lock  sync.Mutex
	fed   []map[string]map[string]string                             // what each trial has got on its stdin
	words [][]string                                                 // of commands in containers
	code  int                                                        // how trials end
	said  string                                                     // what they print
	start corev1.PodStatus                                           // what becomes of a copy
	runs  func(words []string, stdin []byte) (code int, said string) // nil: code and said
}

// newNode is a cluster with pods, and a kubelet for copies.
func newNode(t *testing.T, objects ...runtime.Object) *node {
	t.Helper()
	n := &node{t: t, start: runs("web")}
	n.Server = scripted.Start(t, n.run, objects...)
	config, err := clientcmd.BuildConfigFromFlags("", n.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	if n.core, err = client.NewForConfig(config); err != nil {
		t.Fatal(err)
	}
	copies, err := n.core.Pods("shop").Watch(t.Context(), metav1.ListOptions{LabelSelector: check.Label})
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		for e := range copies.ResultChan() {
			if pod, ok := e.Object.(*corev1.Pod); ok && e.Type == "ADDED" {
				status := n.status()
				n.ChangePod(pod.Namespace, pod.Name, func(p *corev1.Pod) { p.Status = status })
			}
		}
	}()
	return n
}

func runs(container string) corev1.PodStatus {
	return corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: []corev1.ContainerStatus{{Name: container, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}}}
}

func (n *node) status() corev1.PodStatus {
	n.lock.Lock()
	defer n.lock.Unlock()
	return n.start
}

// run plays --try: beside PID 1, or as what a copy runs.
func (n *node) run(_ context.Context, e scripted.Exec) int {
	text, err := io.ReadAll(e.Stdin)
	if err != nil {
		n.t.Error(err)
	}
	n.lock.Lock()
	defer n.lock.Unlock()
	var got map[string]map[string][]byte
	if err := json.Unmarshal(text, &got); err != nil {
		return 65 // a caller that was stopped sends nothing, or half of it
	}
	n.fed = append(n.fed, strs(got))
	n.words = append(n.words, e.Words)
	if n.runs != nil {
		words := e.Words
		if pod, ok := n.Get("pods", e.Namespace, e.Pod).(*corev1.Pod); ok && len(words) == 0 {
			words = pod.Spec.Containers[0].Command
		}
		n.code, n.said = n.runs(words, text)
	}
	if len(e.Words) > 0 {
		fmt.Fprint(e.Stdout, n.said)
		return n.code
	}
	n.Log(e.Namespace, e.Pod, n.said)
	n.ChangePod(e.Namespace, e.Pod, func(pod *corev1.Pod) {
		pod.Status = runs(e.Container)
		pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: int32(n.code), Reason: "Error"}}
	})
	return 0
}

func strs(volumes map[string]map[string][]byte) map[string]map[string]string {
	all := map[string]map[string]string{}
	for name, keys := range volumes {
		all[name] = map[string]string{}
		for key, bytes := range keys {
			all[name][key] = string(bytes)
		}
	}
	return all
}

// left are the copies that are there.
func (n *node) left() (names []string) {
	list, err := n.core.Pods("shop").List(n.t.Context(), metav1.ListOptions{LabelSelector: check.Label})
	if err != nil {
		n.t.Error(err)
	}
	for _, pod := range list.Items {
		if pod.Name != "confit-check-other" {
			names = append(names, pod.Name)
		}
	}
	return names
}

// check runs the verb on a manifest, and holds that no copy is left.
func (n *node) check(manifest string, args ...string) result {
	n.t.Helper()
	r := call(strings.NewReader(manifest), append([]string{"check", "-f", "-", "--kubeconfig", n.Kubeconfig(), "-n", "shop"}, args...)...)
	if left := n.left(); len(left) > 0 {
		n.t.Errorf("copies are left: %v", left)
	}
	return r
}

// tlsPod is a pod that follows ConfigMap and Secret web.
func tlsPod(name string) *corev1.Pod {
	var pod corev1.Pod
	err := yaml.Unmarshal(fmt.Appendf(nil, `
metadata: {name: %s, namespace: shop, uid: uid-%[1]s, labels: {app: web}, ownerReferences: [{uid: set, controller: true}]}
spec:
  containers:
  - name: web
    command: [/bin/confit, --probation, 1s, --, web, -x]
    volumeMounts: [{name: web, mountPath: /confit/web}, {name: tls, mountPath: /confit/tls}]
  volumes: [{name: web, configMap: {name: web}}, {name: tls, secret: {secretName: web}}]
`, name), &pod)
	if err != nil {
		panic(err)
	}
	pod.Status = runs("web")
	return &pod
}

const (
	newWeb    = "{apiVersion: v1, kind: ConfigMap, metadata: {name: web}, data: {a: new}}"
	newSecret = "{apiVersion: v1, kind: Secret, metadata: {name: web}, stringData: {key: topsecret}}"
)

// TestCheckVerdicts: what the validator says is what the verb says, with its exit code.
func TestCheckVerdicts(t *testing.T) {
	n := newNode(t, tlsPod("web-0"), tlsPod("web-1"))
	for _, c := range []struct {
		args   []string
		code   int
		said   string
		exit   int
		stdout string
	}{
		{nil, 0, "well\n", 0, "TAKEN: configmap/web and secret/web, container web of pod web-0 and 1 more\n  well\n"},
		{nil, 78, "no: \x1b[31mtopsecret\nbad\n", 3, "REFUSED: configmap/web and secret/web, container web of pod web-0 and 1 more\n  no: \ufffd[31m[key of secret/web]\n  bad\n"},
		{nil, 78, "bad\ncandidate rejected step=validate reason=\"validate \\\"sh -c \\\\\\\"topsecret\\\\\\\"\\\" ended with exit 1\"\n", 3,
			"REFUSED: configmap/web and secret/web, container web of pod web-0 and 1 more\n  bad\n  validate \"sh -c \\\"[key of secret/web]\\\"\" ended with exit 1\n"},
		{[]string{"pod/web-1"}, 65, "can't be tried aside\n", 1, "UNTRIED: configmap/web and secret/web, container web of pod web-1\n  can't be tried aside\n"},
		{nil, 64, "unknown flag: --try\n", 1, "UNTRIED: configmap/web and secret/web, container web of pod web-0 and 1 more\n  unknown flag: --try\n  confit doesn't know this command line; one that is older than this plugin doesn't know --try\n"},
		{nil, 71, "no memory\n", 1, "UNTRIED: configmap/web and secret/web, container web of pod web-0 and 1 more\n  no memory\n"},
		{nil, 2, "", 1, "UNTRIED: configmap/web and secret/web, container web of pod web-0 and 1 more\n  confit ended with exit code 2\n"},
	} {
		for _, inPlace := range []bool{false, true} {
			n.code, n.said = c.code, c.said
			args := c.args
			if inPlace {
				args = append(args, "--in-place")
			}
			r := n.check(newWeb+"\n---\n"+newSecret, args...)
			if r != (result{c.exit, c.stdout, ""}) {
				t.Errorf("%v: got %+v, want %q", args, r, c.stdout)
			}
		}
	}
	for _, fed := range n.fed {
		if !reflect.DeepEqual(fed, map[string]map[string]string{"web": {"a": "new"}, "tls": {"key": "topsecret"}}) {
			t.Errorf("a trial got %v", fed)
		}
	}
	if want := []string{"/bin/confit", "--probation", "1s", "--state", "/dev/shm/confit-try-web", "--try", "-", "--", "web", "-x"}; !reflect.DeepEqual(n.words[1], want) {
		t.Errorf("in place runs %q", n.words[1])
	}
}

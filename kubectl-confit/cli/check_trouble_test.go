package cli

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestCheckWaits: what keeps a copy from running is said in the API's own words, and can't command a terminal.
func TestCheckWaits(t *testing.T) {
	waiting := func(reason, message string) corev1.PodStatus {
		s := runs("web")
		s.Phase, s.ContainerStatuses[0].State = corev1.PodPending, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: message}}
		return s
	}
	unscheduled := corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: "Unschedulable", Message: "0/3 nodes are available:\n3 Insufficient memory\x1b[2J",
	}}}
	initFailed := corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: []corev1.ContainerStatus{{
		Name: "confit-install", State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 71, Reason: "Error", Message: "no room"}},
	}}}
	startError := runs("web")
	startError.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 128, Reason: "StartError", Message: `exec: "/bin/confit": no such file`}}
	outOfMemory := runs("web")
	outOfMemory.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 78, Reason: "OOMKilled"}}
	for name, c := range map[string]struct {
		start       corev1.PodStatus
		why, stderr string
	}{
		"no node":       {unscheduled, "it takes longer than --timeout; Unschedulable: 0/3 nodes are available: 3 Insufficient memory\ufffd[2J; FailedMount: no such secret", "the copy waits: Unschedulable: 0/3 nodes are available: 3 Insufficient memory\ufffd[2J"},
		"no image":      {waiting("ImagePullBackOff", "not found"), `the copy can't run: container "web" waits: ImagePullBackOff: not found`, ""},
		"slow image":    {waiting("ErrImagePull", ""), `it takes longer than --timeout; container "web" waits: ErrImagePull; FailedMount: no such secret`, `the copy waits: container "web" waits: ErrImagePull`},
		"no key of env": {waiting("CreateContainerConfigError", "couldn't find key x"), `the copy can't run: container "web" waits: CreateContainerConfigError: couldn't find key x`, ""},
		"init":          {initFailed, `the copy can't run: container "confit-install" ended with exit code 71: Error: no room`, ""},
		"evicted":       {corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "disk pressure"}, "the copy can't run: Evicted: disk pressure", ""},
		"no confit":     {startError, `StartError: exec: "/bin/confit": no such file`, ""},
		"no memory":     {outOfMemory, "it was killed for want of memory: OOMKilled", ""},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t, tlsPod("web-0"))
			n.start = c.start
			n.warn("FailedMount", "no such secret")
			r := n.check(newWeb, "--timeout", "3s")
			want := result{1, "UNTRIED: configmap/web, container web of pod web-0\n  " + c.why + "\n", ""}
			if c.stderr != "" {
				want.stderr = "kubectl-confit: " + c.stderr + "\n"
			}
			if r != want {
				t.Errorf("got %+v\nwant %+v", r, want)
			}
		})
	}
}

// warn lets there be a warning about each copy, as soon as there is one.
func (n *node) warn(reason, message string) {
	copies, err := n.core.Pods("shop").Watch(n.t.Context(), metav1.ListOptions{LabelSelector: "confit/check"})
	if err != nil {
		n.t.Fatal(err)
	}
	go func() {
		for e := range copies.ResultChan() {
			if pod, ok := e.Object.(*corev1.Pod); ok {
				n.Apply(&corev1.Event{
					ObjectMeta: metav1.ObjectMeta{Name: pod.Name + reason, Namespace: "shop"}, InvolvedObject: corev1.ObjectReference{Name: pod.Name},
					Type: corev1.EventTypeWarning, Reason: reason, Message: message,
				})
			}
		}
	}()
}

// TestCheckRights: each right that is missing is named, and only what needs it isn't done.
func TestCheckRights(t *testing.T) {
	const row = "UNTRIED: configmap/web, container web of pod web-0\n  "
	for right, want := range map[string]result{
		"list pods":          {1, "", "kubectl-confit: cannot list pods: the right to list pods is missing: "},
		"create pods":        {1, row + "cannot create a copy of the pod: the right to create pods is missing: ", ""},
		"get pods":           {1, row + "cannot read the copy, pod confit-check-NAME: the right to get pods is missing: ", ""},
		"create pods/attach": {1, row + `cannot attach to container "web" of pod "confit-check-NAME": the right to `, ""},
		"get pods/log":       {0, "TAKEN: configmap/web, container web of pod web-0\n  cannot read what the copy printed, the log of pod confit-check-NAME: the right to get pods/log is missing: ", ""},
		"list events":        {0, "TAKEN: configmap/web, container web of pod web-0\n", ""},
		"delete pods": {
			0, "TAKEN: configmap/web, container web of pod web-0\n",
			"kubectl-confit: cannot delete the copy, pod confit-check-NAME: the right to delete pods is missing: ",
		},
	} {
		t.Run(right, func(t *testing.T) {
			n := newNode(t, tlsPod("web-0"))
			n.Refuse(func(verb, resource, name string) int {
				copied := name == "" || strings.HasPrefix(name, "confit-check-")
				if copied && (verb+" "+resource == right || (right == "create pods/attach" && resource == "pods/attach")) {
					return 403
				}
				return 0
			})
			args := []string{"check", "-f", "-", "--kubeconfig", n.Kubeconfig(), "-n", "shop", "--timeout", "20s"}
			r := call(strings.NewReader(newWeb), args...)
			n.Refuse(nil)
			r.stdout, r.stderr = anonymous(r.stdout), anonymous(r.stderr)
			if r.code != want.code || !strings.HasPrefix(r.stdout, want.stdout) || !strings.HasPrefix(r.stderr, want.stderr) || (r.stderr == "") != (want.stderr == "") {
				t.Errorf("got %+v\nwant %+v", r, want)
			}
			if left := n.left(); (len(left) > 0) != (right == "delete pods") {
				t.Errorf("there are the copies %v", left)
			}
		})
	}
}

// anonymous is a text without the random names of copies.
func anonymous(text string) string {
	words := strings.Split(text, "confit-check-")
	for i, w := range words[1:] {
		words[i+1] = "NAME" + w[min(10, len(w)):]
	}
	return strings.Join(words, "confit-check-")
}

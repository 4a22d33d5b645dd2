package cli

import (
	"bytes"
	"fmt"
	"os"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"confit/confitctl/screen"
	"confit/kubectl-confit/internal/scripted"
)

// world is a namespace with pods that have confit.
type world struct {
	*scripted.Server
	t        *testing.T
	replicas *scripted.Replicas
}

func newWorld(t *testing.T, objects ...runtime.Object) *world {
	t.Helper()
	w := &world{t: t, replicas: &scripted.Replicas{}}
	w.Server = scripted.Start(t, w.replicas.Script, objects...)
	return w
}

// begun is when the containers were started.
var begun = metav1.NewTime(time.Now().Add(-time.Hour).Truncate(time.Second))

func named(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: "shop", Labels: map[string]string{"app": "web"}}
}

func configMap(name string, keys ...string) *corev1.ConfigMap {
	c := &corev1.ConfigMap{ObjectMeta: named(name), Data: map[string]string{}}
	for i := 0; i < len(keys); i += 2 {
		c.Data[keys[i]] = keys[i+1]
	}
	return c
}

func secret(name string, keys ...string) *corev1.Secret {
	s := &corev1.Secret{ObjectMeta: named(name), Data: map[string][]byte{}}
	for i := 0; i < len(keys); i += 2 {
		s.Data[keys[i]] = []byte(keys[i+1])
	}
	return s
}

func ofConfigMap(name string) corev1.VolumeSource {
	return corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: name}}}
}

func ofSecret(name string) corev1.VolumeSource {
	return corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: name}}
}

// pod is one that runs, with the ConfigMap web at /confit/web in the container nginx.
func webPod(name string) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: named(name)}
	p.Spec.NodeName = "node-1"
	p.Spec.Volumes = []corev1.Volume{{Name: "web", VolumeSource: ofConfigMap("web")}}
	p.Spec.Containers = []corev1.Container{{Name: "nginx", Image: "nginx", Command: []string{"/.confit/confit", "--", "nginx"},
		VolumeMounts: []corev1.VolumeMount{{Name: "web", MountPath: "/confit/web"}}}}
	return running(p)
}

// running gives a pod the status of one whose containers run.
func running(p *corev1.Pod) *corev1.Pod {
	p.Status = corev1.PodStatus{Phase: corev1.PodRunning}
	for _, c := range p.Spec.Containers {
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, corev1.ContainerStatus{Name: c.Name, ContainerID: "containerd://" + p.Name + c.Name,
			State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: begun}}})
	}
	return p
}

// add adds such a pod, whose confit has accepted what the API has.
func (w *world) add(name string, patterns ...string) *scripted.Replica {
	w.t.Helper()
	w.Apply(webPod(name))
	r := w.replicas.Add(name, "nginx", scripted.Volume("/confit/web", patterns...))
	r.Bring("/confit/web", w.data("web"))
	r.Accept()
	return r
}

func (w *world) data(name string) map[string]string {
	return w.Get("configmaps", "shop", name).(*corev1.ConfigMap).Data
}

// run runs a verb against it.
func (w *world) run(args ...string) result {
	return call(strings.NewReader(""), w.args(args)...)
}

func (w *world) args(args []string) []string {
	return append(args, "--kubeconfig", w.Kubeconfig(), "-n", "shop")
}

// started is a verb that runs.
type started struct {
	t              *testing.T
	stdout, stderr display
	code           chan int
}

// display is what somebody sees while a verb runs.
type display struct {
	lock sync.Mutex
	text bytes.Buffer
}

func (s *display) Write(p []byte) (int, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.text.Write(p)
}

func (s *display) String() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.text.String()
}

// start starts a verb on a terminal, and returns when that has the text.
func (w *world) start(until string, args ...string) *started {
	w.t.Helper()
	s := &started{t: w.t, code: make(chan int, 1)}
	terminal := &screen.Screen{Out: &s.stderr, Width: func() int { return 0 }}
	go func() { s.code <- Run("1.2.3", w.args(args), strings.NewReader(""), &s.stdout, terminal) }()
	s.sees(until)
	return s
}

// renewed is what stands on a terminal in the place of what stood there before.
var renewed = regexp.MustCompile(`(?m)^.*\r| +$`)

// patience bounds what a test waits for.
const patience = 30 * time.Second

// sees waits until stdout or stderr has a text.
func (s *started) sees(text string) {
	s.t.Helper()
	eventually(s.t, func() error {
		if all := s.stdout.String() + s.stderr.String(); !strings.Contains(all, text) {
			return fmt.Errorf("nobody sees %q in\n%s", text, all)
		}
		return nil
	})
}

// ends waits until it ends.
func (s *started) ends() result {
	s.t.Helper()
	select {
	case code := <-s.code:
		return result{code, s.stdout.String(), renewed.ReplaceAllString(s.stderr.String(), "")}
	case <-time.After(patience):
		s.t.Fatalf("it goes on:\n%s%s", s.stdout.String(), s.stderr.String())
		return result{}
	}
}

func eventually(t *testing.T, holds func() error) {
	t.Helper()
	end := time.Now().Add(patience)
	for {
		err := holds()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatal(err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// interrupt sends the test the signal of ^C.
func interrupt(t *testing.T) {
	t.Helper()
	self, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = self.Signal(os.Interrupt)
	}
	if err != nil {
		t.Fatal(err)
	}
}

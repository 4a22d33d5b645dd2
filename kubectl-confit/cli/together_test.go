package cli

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes/scheme"

	"confit/kubectl-confit/internal/scripted"
	"confit/status"
)

// TestTogether: a ConfigMap and a Secret that were edited together are waited for together, in one volume and in two.
func TestTogether(t *testing.T) {
	projected := corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{Sources: []corev1.VolumeProjection{
		{ConfigMap: &corev1.ConfigMapProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "web"}}},
		{Secret: &corev1.SecretProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "tls"}, Items: []corev1.KeyToPath{{Key: "key", Path: "tls/key.pem"}}}},
		{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}}}}}
	w := newWorld(t, configMap("web", "nginx.conf", "1", "old.conf", "x"), secret("tls", "key", "k1"))
	one, two := webPod("one"), webPod("two")
	one.Spec.Volumes[0].VolumeSource = projected
	two.Spec.Volumes = append(two.Spec.Volumes, corev1.Volume{Name: "tls", VolumeSource: ofSecret("tls")})
	two.Spec.Containers[0].VolumeMounts = append(two.Spec.Containers[0].VolumeMounts, corev1.VolumeMount{Name: "tls", MountPath: "/confit/tls"})
	w.Apply(one, two)
	first := w.replicas.Add("one", "nginx", scripted.Volume("/confit/web", "./"))
	second := w.replicas.Add("two", "nginx", scripted.Volume("/confit/web", "*.conf"), scripted.Volume("/confit/tls", "key"))
	w.Apply(configMap("web", "nginx.conf", "2"), secret("tls", "key", "k2"))
	s := w.start("2 behind", "wait", "configmap/web", "secret/tls")
	second.Bring("/confit/web", map[string]string{"nginx.conf": "2"})
	first.Bring("/confit/web", map[string]string{"nginx.conf": "2", "old.conf": "x", "tls/key.pem": "k2", "token": "t"})
	first.Accept()
	second.Accept()
	r := w.run("status", "cm/web", "secret/tls")
	for _, want := range []string{"\none   2/3    behind", "\ntwo   1/2    behind", "/confit/web/old.conf   -            behind, the object has it no more", "/confit/tls/key        secret/tls   behind"} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("got\n%swant %s", r.stdout, want)
		}
	}
	if r := w.run("status", "cm/web"); !strings.Contains(r.stdout, "\none   1/2    behind") || !strings.Contains(r.stdout, "\ntwo   1/1    accepted") {
		t.Errorf("got %+v", r)
	}
	first.Bring("/confit/web", map[string]string{"nginx.conf": "2", "tls/key.pem": "k2", "token": "t2"})
	first.Accept()
	s.sees("1 of 2 accepted, 1 behind")
	second.Bring("/confit/tls", map[string]string{"key": "k2"})
	second.Accept()
	if r := s.ends(); r.code != 0 || r.stdout != "configmap/web secret/tls accepted by 2 containers\n" {
		t.Errorf("got %+v", r)
	}
	for _, secretValue := range []string{"k1", "k2"} {
		if strings.Contains(s.stdout.String()+s.stderr.String()+w.run("status", "-o", "json").stdout, secretValue) {
			t.Errorf("a value is in the output")
		}
	}
}

// TestContainers: two with confit are two rows, and one without is none and isn't asked.
func TestContainers(t *testing.T) {
	w := newWorld(t, configMap("web", "nginx.conf", "1"))
	p := webPod("web-0")
	second, third := p.Spec.Containers[0], p.Spec.Containers[0]
	second.Name, third.Name = "php", "side"
	third.Command, third.VolumeMounts = []string{"/confit/side"}, []corev1.VolumeMount{{Name: "web", MountPath: "/etc/side"}}
	third.Command = []string{"side"}
	p.Spec.Containers = append(p.Spec.Containers, second, third)
	w.Apply(running(p))
	for _, name := range []string{"nginx", "php", "side"} {
		r := w.replicas.Add("web-0", name, scripted.Volume("/confit/web", "nginx.conf"))
		w.take(r)
	}
	r := w.run("status")
	want := "POD     CONTAINER   KEYS   STATE      SINCE   WHY\nweb-0   nginx       1/1    accepted   0s\nweb-0   php         1/1    accepted   0s\n"
	if got := ages.ReplaceAllString(r.stdout, "0s"); got != want || w.replicas.Of("web-0", "side").Asked() > 0 {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	if r := w.run("wait", "cm/web"); r.code != 0 || r.stdout != "cm/web accepted by 2 containers\n" {
		t.Errorf("got %+v", r)
	}
}

// TestInjected: a pod that inject has rewritten is asked by the program that stands there, and has the keys that it had.
func TestInjected(t *testing.T) {
	manifest := must(t, podOf(one, command, mounted))
	o, _, err := scheme.Codecs.UniversalDeserializer().Decode([]byte(manifest), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	p := o.(*corev1.Pod)
	p.Namespace = "shop"
	w := newWorld(t, configMap("web", "a", "1", "b", "x"), running(p))
	r := w.replicas.Add("web", "one", scripted.Volume("/confit/conf", "a"))
	r.Bring("/confit/conf", map[string]string{"a": "1"})
	r.Accept()
	w.Apply(configMap("web", "a", "1", "b", "y"))
	if r := w.run("wait", "cm/web"); r.code != 0 {
		t.Errorf("got %+v", r)
	}
	w.Apply(configMap("web", "a", "2", "b", "y"))
	if r := w.run("status", "pod/web"); r.code != 0 || !strings.Contains(r.stdout, "web   /confit/conf/a   configmap/web   behind\n") {
		t.Errorf("got %+v", r)
	}
}

// TestOld: with a confit that doesn't name what it takes, only what it had before is compared, and that is said.
func TestOld(t *testing.T) {
	w := newWorld(t, configMap("web", "nginx.conf", "1"))
	r := w.add("web-0", "nginx.conf")
	r.Change(func(s *status.Status) { s.Volumes[0].Patterns = nil })
	w.Apply(configMap("web", "nginx.conf", "1", "new.conf", "x"))
	if got := w.run("status"); got.code != 0 || !strings.Contains(got.stdout, "1/1    accepted") || !strings.Contains(got.stdout, "the confit of this pod is too old to say which keys it takes") {
		t.Errorf("got %+v", got)
	}
	r.Change(func(s *status.Status) { s.Keys, s.Mounted = nil, nil })
	if got := w.run("status"); got.code != 1 || !strings.Contains(got.stdout, "-      unknown   -       the confit of this pod is too old") {
		t.Errorf("got %+v", got)
	}
}

// TestNamespace: without -n it is the kubeconfig's, and pods of others aren't asked.
func TestNamespace(t *testing.T) {
	w := newWorld(t, configMap("web", "nginx.conf", "1"))
	w.add("web-0", "nginx.conf")
	r := call(strings.NewReader(""), "status", "--kubeconfig", w.Kubeconfig())
	want := "kubectl-confit: no pod here has confit: it is known by its command, a mount below /confit, or the annotation confit/exec\n"
	if r != (result{1, "", want}) {
		t.Errorf("got %+v", r)
	}
	if r := call(strings.NewReader(""), "status", "--kubeconfig", "/nowhere"); r.code != 1 || !strings.HasPrefix(r.stderr, "kubectl-confit: cannot read the kubeconfig: ") {
		t.Errorf("got %+v", r)
	}
	if r := w.run("status", "cm/web", "--server", "http://127.0.0.1:1", "--request-timeout", "1s"); r.code != 1 || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("got %+v", r)
	}
}

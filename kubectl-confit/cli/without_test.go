package cli

import (
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"confit/kubectl-confit/internal/scripted"
)

// plainPod mounts the ConfigMap web, and has no confit: a directory, a key, or a variable.
func plainPod(name, how string) *corev1.Pod {
	p := webPod(name)
	c := &p.Spec.Containers[0]
	c.Name, c.Command, c.VolumeMounts[0].MountPath = "app", []string{"nginx"}, "/etc/app"
	switch how {
	case "subPath":
		c.VolumeMounts[0].SubPath = "nginx.conf"
	case "variable":
		c.VolumeMounts, c.Env = nil, []corev1.EnvVar{{Name: "A", ValueFrom: &corev1.EnvVarSource{ConfigMapKeyRef: &corev1.ConfigMapKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: "web"}, Key: "nginx.conf"}}}}
	}
	p.Status = corev1.PodStatus{}
	return running(p)
}

// TestWithout: whoever has the object without a confit that follows it is named, on stderr and in the document, by each
// verb.
func TestWithout(t *testing.T) {
	const named = "5 more containers have it, and no confit that follows it (dir/app, env/app, sub/app and 2 more): nobody can say what their apps have read\n"
	f, _ := applied(t, well)
	for name, how := range map[string]string{"dir": "directory", "sub": "subPath", "env": "variable"} {
		f.Apply(plainPod(name, how))
	}
	beside := webPod("web-1") // a second container of a pod with confit, and a sidecar; an init container has read what there was
	other, side, init := plainPod("x", "directory").Spec.Containers[0], plainPod("x", "subPath").Spec.Containers[0], plainPod("x", "directory").Spec.Containers[0]
	always := corev1.ContainerRestartPolicyAlways
	side.Name, side.RestartPolicy, init.Name = "side", &always, "init"
	beside.Spec.Containers = append(beside.Spec.Containers, other)
	beside.Spec.InitContainers = []corev1.Container{init, side}
	f.Apply(beside)
	b := f.replicas.Add("web-1", "nginx", scripted.Volume("/confit/web", "nginx.conf"))
	b.Bring("/confit/web", f.data("web"))
	b.Accept()
	over := plainPod("over", "directory")
	over.Status.Phase = corev1.PodSucceeded
	f.Apply(over)
	f.Apply(func() *corev1.Pod {
		p := plainPod("another", "directory")
		p.Spec.Volumes[0].ConfigMap.Name = "other"
		return p
	}())
	for _, args := range [][]string{{"status", "configmap/web"}, {"wait", "configmap/web"}, {"sync", "configmap/web"}, {"apply", "--no-check", "-f", edit(t, "1")}} {
		r := f.run(args...)
		if r.code != 0 || !strings.Contains(r.stderr, named) || strings.Count(r.stderr, "more container") != 1 {
			t.Errorf("%v: got %+v", args, r)
		}
		var found struct {
			Without []struct{ Pod, Container, Use string }
		}
		decode(t, "json", f.run(append(args, "-o", "json")...).stdout, &found)
		if got := fmt.Sprint(found.Without); got != "[{dir app directory} {env app start} {sub app start} {web-1 app directory} {web-1 side start}]" {
			t.Errorf("%v: got %s", args, got)
		}
	}
	if r := f.run("status", "pod/web-0"); strings.Contains(r.stderr, "more") {
		t.Errorf("pods that aren't asked about are named: %+v", r)
	}
}

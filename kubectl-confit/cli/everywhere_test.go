package cli

import (
	"testing"

	"confit/kubectl-confit/internal/scripted"
)

// elsewhere adds a pod of another namespace, with its own ConfigMap.
func (w *world) elsewhere(namespace, name string) *scripted.Replica {
	w.t.Helper()
	c, p := configMap("web", "nginx.conf", "1"), webPod(name)
	c.Namespace, p.Namespace = namespace, namespace
	w.Apply(c, p)
	r := w.replicas.Add(name, "nginx", scripted.Volume("/confit/web", "nginx.conf"))
	r.Bring("/confit/web", c.Data)
	r.Accept()
	return r
}

// TestStatus_everywhere: -A has the pods of all namespaces, each with its own objects.
func TestStatus_everywhere(t *testing.T) {
	w, a, _ := edited(t)
	w.take(a)
	bad := w.elsewhere("prod", "web-7")
	next := configMap("web", "nginx.conf", "2")
	next.Namespace = "prod"
	w.Apply(next)
	bad.Bring("/confit/web", next.Data)
	bad.Reject("validate", "bad", "really bad", 1)
	plain := webPod("plain")
	plain.Namespace, plain.Spec.Containers[0].Command, plain.Spec.Containers[0].VolumeMounts = "other", nil, nil
	w.Apply(plain)
	r := w.run("status", "-A")
	const want = `NAMESPACE   POD     KEYS   STATE      SINCE   WHY
prod        web-7   0/1    rejected   0s      validate: bad
shop        web-0   1/1    accepted   0s
shop        web-1   0/1    behind     -       the kubelet has not brought it yet

POD          KEY                      OBJECT          STATE
prod/web-7   /confit/web/nginx.conf   configmap/web   rejected
shop/web-1   /confit/web/nginx.conf   configmap/web   behind

pod prod/web-7, what validate printed:
  really bad
`
	if got := ages.ReplaceAllString(r.stdout, "0s"); r.code != 3 || got != want || r.stderr != "" {
		t.Errorf("got %d\n%s%s\nwant\n%s", r.code, got, r.stderr, want)
	}
	r = w.run("status", "-A", "-o", "jsonpath={.kind} {.code} {range .items[*]}{.namespace}:{.pods[*].state} {end}")
	if r.stdout != "ReportList 3 prod:rejected shop:accepted behind " {
		t.Errorf("got %+v", r)
	}
	if r := w.run("status", "--all-namespaces", "-l", "app=none"); r.code != 1 || r.stdout != "" {
		t.Errorf("got %+v", r)
	}
	if r := w.run("status", "-A", "configmap/web"); r.code != 64 || r.stderr != "kubectl-confit: -A and configmap/web are there: write one of the two, as a name is one namespace's; see kubectl confit status --help\n" {
		t.Errorf("got %+v", r)
	}
}

// TestStatus_everywhere_watch: a namespace is followed from its first pod with confit on.
func TestStatus_everywhere_watch(t *testing.T) {
	w, _, _ := edited(t)
	s := w.start("shop        web-0", "status", "-A", "--watch")
	w.elsewhere("prod", "web-7")
	s.sees("prod        web-7   nginx       1/1    accepted")
	interrupt(t)
	if r := s.ends(); r.code != 130 || r.stderr != "" {
		t.Errorf("got %+v", r)
	}
}

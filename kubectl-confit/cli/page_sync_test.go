package cli

import (
	"os"
	"testing"

	"sigs.k8s.io/yaml"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/kubectl-confit/internal/scripted"
)

// TestPage_sync: the first of three pods takes it, and the second one rejects it.
func TestPage_sync(t *testing.T) {
	f := newFleet(t, 3, "web-7f4c-kx2lp", "web-7f4c-mq8wd", "web-7f4c-z5t9r")
	f.took["web-7f4c-mq8wd"] = func(r *scripted.Replica, _ int) {
		f.bring(r)
		r.Reject("probation", "the app exited with 1 after 2s", "nginx: [emerg] bind() to 0.0.0.0:80 failed (13: Permission denied)", 1)
	}
	bad := f.start("Syncing ", "sync", "configmap/web", "-o", "json").ends()
	shows(t, "sync", "sync configmap/web -o json >verdict.json", bad.stderr)
	if bad.code != 3 {
		t.Errorf("got %+v", bad)
	}
}

// tried is what confit --try prints of the example with nginx after a typing mistake.
const tried = `link  web/nginx.conf  /etc/nginx/nginx.conf
link  web/conf.d/  /etc/nginx/conf.d
      web/conf.d/site.conf
link  web/html/  /srv/www
      web/html/index.html
note: files outside {candidate} are the live ones
nginx: [emerg] unknown directive "lisen" in /.confit-check/try/1/1/web/conf.d/site.conf:2
nginx: configuration file /.confit-check/try/1/1/web/nginx.conf test failed
candidate rejected step=validate reason="validate \"nginx -t -c {candidate}/web/nginx.conf\" ended with exit 1"
`

// TestPage_check: the validator's own words.
func TestPage_check(t *testing.T) {
	var pods []*corev1.Pod
	for _, name := range []string{"web-7f4c-kx2lp", "web-7f4c-mq8wd", "web-7f4c-z5t9r"} {
		p := webPod(name)
		p.OwnerReferences = []metav1.OwnerReference{{UID: "set", Controller: new(true)}}
		pods = append(pods, p)
	}
	n := newNode(t, pods[0], pods[1], pods[2])
	n.start, n.code, n.said = runs("nginx"), 78, tried
	manifest, err := yaml.Marshal(configMap("web", "nginx.conf", "lisen"))
	fine(t, err)
	manifest = append([]byte("apiVersion: v1\nkind: ConfigMap\n"), manifest...)
	before, err := os.Getwd()
	fine(t, err)
	r := run(t, string(manifest), "check", "-f", "web.yaml", "--kubeconfig", n.Kubeconfig(), "-n", "shop")
	t.Chdir(before)
	shows(t, "check", "check -f web.yaml", r.stdout+r.stderr)
	if r.code != 3 {
		t.Errorf("got %+v", r)
	}
}

package cli

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	"confit/integration/markdown"
	"confit/kubectl-confit/internal/scripted"
	"confit/status"
)

var update = flag.Bool("update", false, "write anew what the page shows of a run")

const page = "../../docs/kubectl.md"

// section is the page's part about a verb.
func section(t *testing.T, verb string) string {
	t.Helper()
	text := markdown.Section(readFile(t, page), "## "+verb)
	if text == "" {
		t.Fatalf("%s has no section %s", page, verb)
	}
	return text
}

// injectable has a key that can follow, and one that can't.
const injectable = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  selector: {matchLabels: {app: web}}
  template:
    metadata:
      labels: {app: web}
      annotations: {confit/validate: nginx -t}
    spec:
      containers:
      - name: nginx
        image: nginx:1.29
        command: [nginx, -g, daemon off;]
        volumeMounts:
        - {name: web, mountPath: /etc/nginx/conf.d/default.conf, subPath: default.conf} # the site
        - {name: web, mountPath: /motd, subPath: motd}
      volumes:
      - {name: web, configMap: {name: web}}
`

// TestPage_inject: what a run says of a manifest.
func TestPage_inject(t *testing.T) {
	path, err := os.Getwd()
	fine(t, err)
	const command = "inject -f web.yaml --image example.com/confit:1"
	r := run(t, injectable, strings.Fields(command)...)
	t.Chdir(path)
	shows(t, "inject", command+" >web-confit.yaml", r.stderr)
	if r.code != 0 || !strings.Contains(r.stdout, "link web/default.conf /etc/nginx/conf.d/default.conf") {
		t.Errorf("got %+v", r)
	}
}

// replace puts a text of the page in another's place.
func replace(t *testing.T, old, text string) {
	t.Helper()
	changed := strings.Replace(readFile(t, page), old, text, 1)
	if err := os.WriteFile(page, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
}

// shows holds that a verb's section shows a run: the command, and what stands on the screen then. -update writes it there.
func shows(t *testing.T, verb, command, screen string) {
	t.Helper()
	begin := "```text\n$ kubectl confit " + command + "\n"
	_, rest, found := strings.Cut(section(t, verb), begin)
	shown, _, closed := strings.Cut(rest, "```")
	if !found || !closed {
		t.Fatalf("the section %s doesn't show %s", verb, command)
	}
	if shown != screen {
		t.Errorf("the page shows\n%s\nand a run makes\n%s", shown, screen)
	}
	if *update {
		replace(t, begin+shown+"```", begin+screen+"```")
	}
}

// before is some time ago, so that a table shows the same for half a minute.
func before(d time.Duration) status.Time { return status.At(time.Now().Add(-d - 30*time.Second)) }

// pageWorld is a ConfigMap after a bad edit: one pod has rejected it, and one hasn't seen it.
func pageWorld(t *testing.T) (w *world, lagging *scripted.Replica) {
	w = newWorld(t, configMap("web", "nginx.conf", "1", "mime.types", "x"))
	since := func(s *status.Status) { s.Accepted.Since = before(3 * time.Hour) }
	for _, name := range []string{"web-7f4c-kx2lp", "web-7f4c-mq8wd", "web-7f4c-z5t9r"} {
		lagging = w.add(name, "nginx.conf", "mime.types")
		lagging.Change(since)
	}
	w.Apply(configMap("web", "nginx.conf", "2", "mime.types", "x"))
	first := w.replicas.Of("web-7f4c-kx2lp", "nginx")
	first.Bring("/confit/web", w.data("web"))
	first.Reject("validate", `validate "nginx -t -c {candidate}/web/nginx.conf" ended with exit 1`,
		"nginx: [emerg] unknown directive \"sever\" in /run/confit/generations/3/web/nginx.conf:12\nnginx: configuration file test failed", 2)
	first.Change(func(s *status.Status) { s.Rejection.At = before(12 * time.Minute) })
	p := webPod("web-7f4c-mq8wd")
	p.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "The node was low on resource: memory."}
	w.Apply(p)
	return w, lagging
}

// TestPage_status: the screen of a bad edit.
func TestPage_status(t *testing.T) {
	w, _ := pageWorld(t)
	r := w.run("status", "configmap/web")
	shows(t, "status", "status configmap/web", r.stdout+r.stderr)
	if r.code != 3 {
		t.Errorf("got %+v", r)
	}
}

// TestPage_wait: a good edit, from its way to a pod on.
func TestPage_wait(t *testing.T) {
	w, lagging := pageWorld(t)
	w.Delete("pods", "shop", "web-7f4c-mq8wd")
	w.take(w.replicas.Of("web-7f4c-kx2lp", "nginx"))
	s := w.start("1 of 2 accepted, 1 behind", "wait", "configmap/web")
	lagging.Bring("/confit/web", w.data("web"))
	s.sees("1 on its way")
	lagging.Publish()
	s.sees("1 live")
	lagging.Accept()
	good := s.ends()
	shows(t, "wait", "wait configmap/web", good.stderr+good.stdout)
	if good.code != 0 {
		t.Errorf("got %+v", good)
	}
}

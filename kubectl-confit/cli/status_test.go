package cli

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"confit/kubectl-confit/internal/scripted"
)

// ages are the times of a table, which aren't the same twice.
var ages = regexp.MustCompile(`\b[0-9]+[smh]\b`)

// TestStatus: a row a pod, the keys that aren't accepted, and what the hook printed.
func TestStatus(t *testing.T) {
	w, a, b := edited(t)
	w.add("web-2", "nginx.conf")
	w.Apply(configMap("web", "nginx.conf", "2", "other", "x"))
	w.take(a)
	b.Bring("/confit/web", w.data("web"))
	b.Reject("validate", "hook ended with exit 1", "bad\nreally", 4)
	gone := webPod("web-3")
	gone.Status = corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted", Message: "The node was low on \x1b[31mmemory."}
	w.Apply(gone)
	w.replicas.Add("web-2", "nginx", scripted.Volume("/confit/web", "nginx.conf")).Bring("/confit/web", map[string]string{"nginx.conf": "1"})
	for _, args := range [][]string{{"status"}, {"status", "configmap/web"}, {"status", "-l", "app=web"}, {"status", "cm", "web", "-l", "app"}} {
		r := w.run(args...)
		want := `POD     KEYS   STATE      SINCE   WHY
web-0   1/1    accepted   0s
web-1   0/1    rejected   0s      validate: hook ended with exit 1
web-2   0/1    behind     -       the kubelet has not brought it yet
web-3   -      ended      -       Failed: Evicted: The node was low on ` + "\uFFFD" + `[31mmemory.

POD     KEY                      OBJECT          STATE
web-1   /confit/web/nginx.conf   configmap/web   rejected
web-2   /confit/web/nginx.conf   configmap/web   behind

pod web-1, what validate printed:
  bad
  really
`
		if got := ages.ReplaceAllString(r.stdout, "0s"); r.code != 3 || got != want || r.stderr != "" {
			t.Errorf("%q: got %d\n%s%s\nwant\n%s", args, r.code, got, r.stderr, want)
		}
	}
}

// TestStatus_json: the documented fields, and no other.
func TestStatus_json(t *testing.T) {
	w, _, _ := edited(t)
	for _, format := range []string{"json", "yaml"} {
		r := w.run("status", "configmap/web", "-o", format)
		text, err := yaml.YAMLToJSON([]byte(r.stdout))
		var got struct {
			Objects []map[string]any
			Pods    []map[string]any
		}
		if err == nil {
			err = json.Unmarshal(text, &got)
		}
		if err != nil || len(got.Pods) != 2 || len(got.Objects) != 1 || r.code != 0 {
			t.Fatalf("got %+v, %v", r, err)
		}
		pod := got.Pods[0]
		keys := pod["keys"].([]any)[0]
		delete(pod, "keys")
		for what, got := range map[string]string{
			"map[immutable:false kind:ConfigMap name:web resourceVersion:5]": fmt.Sprint(got.Objects[0]),
			"map[attempts:0 container:nginx hash: node:node-1 output: pod:web-0 since:<nil> soaked:false soaksAt:<nil> state:behind step: uid:uid-3 why:the kubelet has not brought it yet]": fmt.Sprint(pod),
			"map[gone:false object:configmap/web path:nginx.conf state:behind volume:/confit/web]":                                                                                           fmt.Sprint(keys),
		} {
			if got != what {
				t.Errorf("%s: got %s, want %s", format, got, what)
			}
		}
	}
}

// TestStatus_kinds: a workload stands for its pods, by its selector or its jobs.
func TestStatus_kinds(t *testing.T) {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}
	job := &batchv1.Job{ObjectMeta: named("job"), Spec: batchv1.JobSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"batch.kubernetes.io/controller-uid": "job-uid"}}}}
	job.UID, job.OwnerReferences = "job-uid", []metav1.OwnerReference{{UID: "cron-uid", Kind: "CronJob", Name: "cron", APIVersion: "batch/v1"}}
	cron := &batchv1.CronJob{ObjectMeta: named("cron")}
	cron.UID = "cron-uid"
	w := newWorld(t, configMap("web", "nginx.conf", "1"), job, cron,
		&appsv1.Deployment{ObjectMeta: named("web"), Spec: appsv1.DeploymentSpec{Selector: selector}},
		&appsv1.StatefulSet{ObjectMeta: named("web"), Spec: appsv1.StatefulSetSpec{Selector: selector}},
		&appsv1.DaemonSet{ObjectMeta: named("web"), Spec: appsv1.DaemonSetSpec{Selector: selector}},
		&appsv1.ReplicaSet{ObjectMeta: named("web"), Spec: appsv1.ReplicaSetSpec{Selector: selector}})
	w.add("web-0", "nginx.conf")
	ofJob := webPod("job-0")
	ofJob.Labels = map[string]string{"batch.kubernetes.io/controller-uid": "job-uid"}
	w.Apply(ofJob)
	r := w.replicas.Add("job-0", "nginx", scripted.Volume("/confit/web", "nginx.conf"))
	w.take(r)
	for name, pod := range map[string]string{"deploy/web": "web-0", "sts/web": "web-0", "daemonset/web": "web-0", "replicasets/web": "web-0", "pod/web-0": "web-0", "job/job": "job-0", "cj/cron": "job-0"} {
		for _, verb := range []string{"status", "wait"} {
			got := w.run(verb, name, "-o", "json")
			if got.code != 0 || strings.Count(got.stdout, `"pod":`) != 1 || !strings.Contains(got.stdout, `"pod": "`+pod+`"`) || !strings.Contains(got.stdout, `"state": "accepted"`) {
				t.Errorf("%s %s: got %+v", verb, name, got)
			}
		}
	}
	if r := w.run("status", "deploy/web", "cm/web"); r.code != 64 || !strings.Contains(r.stderr, `ConfigMaps or Secrets are there, and workloads or pods: write one of the two`) {
		t.Errorf("got %+v", r)
	}
}

// TestStatus_foreign: whatever a container prints, there is a row, and nothing of it commands a terminal.
func TestStatus_foreign(t *testing.T) {
	for want, say := range map[string]func(e scripted.Exec) int{
		"cannot read the status: ":     func(e scripted.Exec) int { return printed(e, "\x1b]0;owned\x07{", 0) },
		"it prints too much":           func(e scripted.Exec) int { return printed(e, strings.Repeat("x", 5<<20), 0) },
		"confit --status says nothing": func(e scripted.Exec) int { return 1 },
		"\uFFFD[31mno such \uFFFDfile": func(e scripted.Exec) int { fmt.Fprint(e.Stderr, "\x1b[31mno such \u202efile\nmore"); return 1 },
		"it is of version 9":           func(e scripted.Exec) int { return printed(e, `{"version": 9}`, 0) },
		"confit has not come up yet":   func(e scripted.Exec) int { return printed(e, `{"version": 1, "phase": "done"}`, 0) },
		"confit takes no key of it":    func(e scripted.Exec) int { return printed(e, `{"version": 1, "phase": "\u001b[31m"}`, 3) },
		"confit broke down and applies no": func(e scripted.Exec) int {
			return printed(e, `{"version": 1, "degraded": "\u001b[31m", "volumes": [{"path": "/confit/web", "patterns": ["./"]}]}`, 3)
		},
	} {
		w := newWorld(t, configMap("web", "nginx.conf", "1"))
		w.add("web-0", "nginx.conf").Says(say)
		for _, format := range []string{"wide", "json"} {
			r := w.run("status", "-o", format)
			if !strings.Contains(r.stdout, want) || strings.ContainsAny(r.stdout, "\x1b\x07\u202e") || r.stderr != "" {
				t.Errorf("got %+v, want %s", r, want)
			}
		}
	}
}

func printed(e scripted.Exec, text string, code int) int {
	fmt.Fprint(e.Stdout, text)
	return code
}

// TestStatus_rights: what may not be asked or read is said, and the rest is shown.
func TestStatus_rights(t *testing.T) {
	w := newWorld(t, configMap("web", "nginx.conf", "1"), secret("tls", "key", "k"))
	w.add("web-0", "nginx.conf")
	p := webPod("web-1")
	p.Spec.Volumes[0].VolumeSource = ofSecret("tls")
	w.Apply(p, crashed(3))
	other := webPod("web-2")
	other.Spec.Volumes[0].VolumeSource = ofSecret("tls")
	w.Apply(other)
	r := w.replicas.Add("web-2", "nginx", scripted.Volume("/confit/web", "key"))
	r.Bring("/confit/web", map[string]string{"key": "k"})
	r.Accept()
	refuse := func(resource string) {
		w.Refuse(func(_, what, _ string) int {
			if what == resource {
				return 403
			}
			return 0
		})
	}
	refuse("secrets")
	if r := w.run("status"); r.code != 3 || !regexp.MustCompile(`web-2   -      accepted   \d+s      secret/tls can't be read: its keys aren't compared\n`).MatchString(r.stdout) {
		t.Errorf("got %+v", r)
	}
	if r := w.run("status", "secret/tls"); r.code != 1 || !strings.Contains(r.stderr, "cannot read secret/tls: the right to get secrets is missing: ") {
		t.Errorf("got %+v", r)
	}
	refuse("pods/exec")
	r2 := w.run("status")
	r2.stdout = ages.ReplaceAllString(r2.stdout, "0s")
	for _, want := range []string{"web-0   -      unknown    0s     cannot run /.confit/confit in container \"nginx\" of pod \"web-0\": the right to create pods/exec is missing",
		"web-1   -      rejected   0s      start: validate: it ended with exit 1\n"} {
		if !strings.Contains(r2.stdout, want) || r2.code != 3 {
			t.Errorf("got %d\n%s, want %s", r2.code, r2.stdout, want)
		}
	}
}

// TestStatus_watch prints each row that changes, until a signal ends it.
func TestStatus_watch(t *testing.T) {
	w, a, _ := edited(t)
	s := w.start("behind", "status", "--watch")
	w.take(a)
	s.sees("web-0   nginx       1/1    accepted")
	w.Apply(configMap("web", "nginx.conf", "3"))
	a.Bring("/confit/web", w.data("web"))
	s.sees("on its way")
	a.Reject("verify", "it is bad", "", 1)
	s.sees("rejected")
	interrupt(t)
	if r := s.ends(); r.code != 130 || r.stderr != "" {
		t.Errorf("got %+v", r)
	}
}

// TestVerbsUsage: what is wrong with a command line of verbs that ask is said before anything is asked.
func TestVerbsUsage(t *testing.T) {
	for line, want := range map[string]string{
		"status -o xml":                  `-o is "xml": write one of go-template, go-template-file, json, jsonpath, jsonpath-as-json, jsonpath-file, kyaml, name, template, templatefile, wide, yaml`,
		"status -w -o json":              `--watch prints rows: write it without -o json`,
		"wait":                           `what to wait for is missing: write configmap/NAME`,
		"wait cm/web --timeout -1s":      `--timeout is -1s: write 0 or more`,
		"wait cm/web -o wide":            `-o is "wide": write one of go-template, go-template-file, json, jsonpath, jsonpath-as-json, jsonpath-file, kyaml, name, template, templatefile, yaml`,
		"wait cm/web --timeout tomorrow": `--timeout: "tomorrow" is no time: write a number with a unit, such as 500ms, 10s or 2m`,
	} {
		if r := call(strings.NewReader(""), strings.Fields(line)...); r.code != 64 || r.stderr != "kubectl-confit: "+want+"; see kubectl confit "+strings.Fields(line)[0]+" --help\n" {
			t.Errorf("%s: got %+v, want %s", line, r, want)
		}
	}
}

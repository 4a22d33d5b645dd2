package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/kubectl-confit/internal/scripted"
)

// applied is a world with a pod that has the first edit of a ConfigMap. trial is what confit --try says there.
func applied(t *testing.T, trial func(e scripted.Exec) int) (w *world, a *scripted.Replica) {
	t.Helper()
	w = &world{t: t, replicas: &scripted.Replicas{}}
	w.Server = scripted.Start(t, func(ctx context.Context, e scripted.Exec) int {
		if slices.Contains(e.Words, "--try") {
			return trial(e)
		}
		return w.replicas.Script(ctx, e)
	}, owned("kubectl", metav1.ManagedFieldsOperationApply))
	return w, w.add("web-0", "nginx.conf")
}

// owned is the first edit of a ConfigMap, as a manager of fields has left it.
func owned(manager string, by metav1.ManagedFieldsOperationType) *corev1.ConfigMap {
	c := configMap("web", "nginx.conf", "1")
	c.ManagedFields = []metav1.ManagedFieldsEntry{{Manager: manager, Operation: by, APIVersion: "v1", FieldsType: "FieldsV1",
		FieldsV1: metav1.NewFieldsV1(`{"f:data":{".":{},"f:nginx.conf":{}},"f:metadata":{"f:labels":{".":{},"f:app":{}}}}`)}}
	return c
}

// well is a validator that takes all.
func well(e scripted.Exec) int {
	_, _ = io.Copy(io.Discard, e.Stdin) // the caller may have gone
	fmt.Fprintln(e.Stdout, "it would be accepted")
	return 0
}

// file writes a manifest, and returns its path.
func file(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "web.yaml")
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// edit is the ConfigMap web with this text as its key.
func edit(t *testing.T, text string) string {
	return file(t, "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: web, labels: {app: web}}\ndata: {nginx.conf: '"+text+"'}\n")
}

// applying starts the verb on an edit, and returns when it is known that the pod hasn't it yet.
func (w *world) applying(text string, args ...string) *started {
	w.t.Helper()
	return w.start("1 behind", append([]string{"apply", "--in-place", "-f", edit(w.t, text)}, args...)...)
}

// holds holds what the API has.
func (w *world) holds(text string) *corev1.ConfigMap {
	w.t.Helper()
	there := w.Get("configmaps", "shop", "web").(*corev1.ConfigMap)
	if there.Data["nginx.conf"] != text {
		w.t.Errorf("the API has %q, want %q", there.Data["nginx.conf"], text)
	}
	return there
}

// want holds how a run ended.
func (r result) want(t *testing.T, code int, stdout string, stderr ...string) {
	t.Helper()
	if r.code != code || r.stdout != stdout {
		t.Errorf("got %+v, want %d and %q", r, code, stdout)
	}
	for _, line := range stderr {
		if !strings.Contains("\n"+r.stderr, "\n"+line+"\n") {
			t.Errorf("stderr lacks %q:\n%s", line, r.stderr)
		}
	}
}

// TestApply: an edit is checked, applied and accepted.
func TestApply(t *testing.T) {
	w, a := applied(t, well)
	s := w.applying("2")
	w.take(a)
	s.ends().want(t, 0, "configmap/web accepted by 1 container\n",
		"Checked configmap/web, container nginx of pod web-0: taken", "Applied configmap/web: resourceVersion 4", "Waiting for configmap/web: 1 of 1 accepted")
	w.holds("2")
	if pod := w.Get("pods", "shop", "web-0").(*corev1.Pod); pod.Annotations[SyncAnnotation] == "" {
		t.Error("its kubelet wasn't told to look")
	}
}

// TestApply_refused: a validator says no, and nothing is applied.
func TestApply_refused(t *testing.T) {
	w, _ := applied(t, func(e scripted.Exec) int {
		_, _ = io.Copy(io.Discard, e.Stdin) // the caller may have gone
		fmt.Fprintln(e.Stdout, "line 1: \x1b[31mbad")
		return 78
	})
	r := w.run("apply", "--in-place", "-f", edit(t, "2"))
	r.want(t, 3, "", "Checked configmap/web, container nginx of pod web-0: refused", "  line 1: \uFFFD[31mbad", "kubectl-confit: a container would refuse it, so nothing is applied")
	w.holds("1")
}

// TestApply_untried: who can't be asked doesn't say yes, unless he needn't be asked.
func TestApply_untried(t *testing.T) {
	w, a := applied(t, func(e scripted.Exec) int { return 65 })
	r := w.run("apply", "--in-place", "-f", edit(t, "2"))
	r.want(t, 1, "", "kubectl-confit: a container can't be asked before it is applied; --no-check leaves that to the pods")
	w.holds("1")
	s := w.start("1 behind", "apply", "--no-check", "--no-sync", "-f", edit(t, "2"))
	w.take(a)
	s.ends().want(t, 0, "configmap/web accepted by 1 container\n")
	if pod := w.Get("pods", "shop", "web-0").(*corev1.Pod); pod.Annotations[SyncAnnotation] != "" {
		t.Error("its kubelet was told to look")
	}
}

// TestApply_undo: a pod rejects it, and the old object is put back and accepted.
func TestApply_undo(t *testing.T) {
	for _, output := range []string{"", "json"} {
		t.Run(output, func(t *testing.T) {
			w, a := applied(t, well)
			before := w.holds("1")
			s := w.applying("2", "--undo", "-o", output)
			a.Bring("/confit/web", w.data("web"))
			a.Reject("verify", "it is bad", "line 1: bad", 1)
			s.sees("Put back configmap/web")
			w.take(a)
			r := s.ends()
			if after := w.holds("1"); fmt.Sprint(after.ManagedFields) != fmt.Sprint(before.ManagedFields) || fmt.Sprint(after.Labels) != fmt.Sprint(before.Labels) {
				t.Errorf("it was\n%v\nand is\n%v", before, after)
			}
			if output == "" {
				r.want(t, 3, "", "pod web-0, what verify printed:", "  line 1: bad", "kubectl-confit: configmap/web is as it was before",
					"kubectl-confit: pod web-0, container nginx has rejected it: verify: it is bad")
				return
			}
			var d struct {
				Verdict, Why string
				Code         int
				Checked      []struct{ Verdict string }
				Applied      []struct {
					Object, ResourceVersion, Before, Back string
					Undone                                bool
				}
				Pods []struct{ State string }
				Undo struct {
					Done bool
					Why  string
					Pods []struct{ State string }
				}
			}
			if err := json.Unmarshal([]byte(r.stdout), &d); err != nil {
				t.Fatal(err, r)
			}
			want := "{rejected pod web-0, container nginx has rejected it: verify: it is bad 3 [{taken}] [{configmap/web 4 2 " + w.holds("1").ResourceVersion + " true}] [{rejected}] {true  [{accepted}]}}"
			if got := fmt.Sprint(d); got != want || r.code != 3 {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestApply_late: the time is over, which is no verdict, and the old object is put back. Without --undo it stays.
func TestApply_late(t *testing.T) {
	w, _ := applied(t, well)
	r := w.run("apply", "--in-place", "--timeout", "200ms", "--undo", "-f", edit(t, "2"))
	r.want(t, 1, "", "Put back configmap/web", "kubectl-confit: configmap/web is as it was before")
	w.holds("1")
	r = w.run("apply", "--in-place", "--timeout", "200ms", "-f", edit(t, "2"))
	r.want(t, 1, "", "kubectl-confit: configmap/web stays as it was applied: --undo would have put it back")
	w.holds("2")
}

// TestApply_stopped: a signal ends it when the old object is back. Without --undo it says what there is.
func TestApply_stopped(t *testing.T) {
	w, _ := applied(t, well)
	interrupted(t, w.applying("2", "--undo")).want(t, 130, "", "Put back configmap/web", "kubectl-confit: a signal ended it", "kubectl-confit: configmap/web is as it was before")
	w.holds("1")
	interrupted(t, w.applying("2")).want(t, 130, "", "kubectl-confit: configmap/web stays as it was applied: --undo would have put it back")
	w.holds("2")
}

// interrupted is how a run ends at ^C.
func interrupted(t *testing.T, s *started) result {
	t.Helper()
	interrupt(t)
	return s.ends()
}

// TestApply_superseded: what somebody else has made of it meanwhile stays.
func TestApply_superseded(t *testing.T) {
	w, _ := applied(t, well)
	s := w.applying("2", "--undo")
	w.Apply(configMap("web", "nginx.conf", "3"))
	s.ends().want(t, 1, "", "kubectl-confit: configmap/web is left as it is: somebody has changed it since it was applied")
	w.holds("3")
}

// TestApply_several: two objects have one verdict, and what wasn't there before is deleted again.
func TestApply_several(t *testing.T) {
	w, _ := applied(t, well)
	p := webPod("web-0")
	tls := ofSecret("tls")
	tls.Secret.Optional = new(true)
	p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "tls", VolumeSource: tls})
	p.Spec.Containers[0].VolumeMounts = append(p.Spec.Containers[0].VolumeMounts, corev1.VolumeMount{Name: "tls", MountPath: "/confit/tls"})
	w.Apply(p)
	a := w.replicas.Add("web-0", "nginx", scripted.Volume("/confit/web", "nginx.conf"), scripted.Volume("/confit/tls", "./"))
	both := file(t, readFile(t, edit(t, "2"))+"---\napiVersion: v1\nkind: Secret\nmetadata: {name: tls}\nstringData: {tls.key: s3cret-s3cret}\n")
	s := w.start("Applied secret/tls", "apply", "--no-check", "--undo", "-f", both)
	a.Bring("/confit/web", w.data("web"))
	a.Bring("/confit/tls", map[string]string{"tls.key": "s3cret-s3cret"})
	a.Reject("verify", "it is bad", "", 1)
	s.sees("Put back secret/tls")
	w.take(a)
	r := s.ends()
	r.want(t, 3, "", "kubectl-confit: configmap/web is as it was before", "kubectl-confit: secret/tls is deleted again")
	w.holds("1")
	if w.Get("secrets", "shop", "tls") != nil || strings.Contains(r.stderr, "s3cret") {
		t.Errorf("the Secret is still there, or told: %+v", r)
	}
}

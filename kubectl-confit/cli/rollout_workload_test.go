package cli

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestRollout_workload: the template of a workload has the Lease's name; one that hasn't says where to write it.
func TestRollout_workload(t *testing.T) {
	r := newRolling(t, "web-0")
	with := func(app string, leases ...string) {
		d := deployment(app)
		for _, name := range leases {
			d.Spec.Template.Spec.Containers = append(d.Spec.Template.Spec.Containers, corev1.Container{Name: "c" + name, Env: []corev1.EnvVar{{Name: "CONFITCTL_LEASE", Value: name}}})
		}
		r.Apply(d)
	}
	with("app", "web", "web")
	with("two", "web", "db")
	with("none")
	r.Apply(rolloutOf(t, "spec: {selector: {matchLabels: {app: a}}, template: {spec: {initContainers: [{name: i, env: [{name: CONFITCTL_LEASE, value: web}]}]}}}"))
	flagged := deployment("flagged")
	flagged.Spec.Template.Spec.Containers = []corev1.Container{{Name: "c", Command: []string{"confit", "--gate", "confitctl gate --lease web", "--", "nginx"}}}
	r.Apply(flagged)
	want := r.run("rollout", "status", "web")
	for _, line := range []string{"status deployment/app", "status deploy app", "status rollout/a", "pause deployment/app", "resume deploy/flagged", "resume deploy/app"} {
		if got := r.run(append([]string{"rollout"}, strings.Fields(line)...)...); got.code != 0 || !strings.HasSuffix(got.stdout, want.stdout) {
			t.Errorf("%s: got %+v, want %+v", line, got, want)
		}
	}
	for line, want := range map[string]string{
		"status deployment/none": "cannot tell the Lease of deployment/none: its template has no container with the variable CONFITCTL_LEASE: write {name: CONFITCTL_LEASE, value: NAME} into env of the one with the gate, or lease/NAME here",
		"abort deployment/two":   "cannot tell the Lease of deployment/two: its containers have several: write one, lease/db or lease/web",
		"status web wiki":        `the server doesn't have a resource type "web"`,
	} {
		if got := r.run(append([]string{"rollout"}, strings.Fields(line)...)...); got != (result{1, "", "kubectl-confit: " + want + "\n"}) {
			t.Errorf("%s: got %+v, want %s", line, got, want)
		}
	}
}

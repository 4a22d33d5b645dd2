//go:build fleet

package inject

import (
	"fmt"
	"os"
	"regexp"
	"strings"
)

// warnings is the golden file of what people read about each pod's Deployment.
const warnings = "testdata/warnings.txt"

// templates are the workloads: what stands before the template of the pods, whose indent is the last line's.
var templates = map[string]string{
	"Deployment": `
apiVersion: apps/v1
kind: Deployment
metadata: {name: work}
spec:
  selector: {matchLabels: {confit: inject}}
  template:
    `,
	"StatefulSet": `
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: work}
spec:
  selector: {matchLabels: {confit: inject}}
  template:
    `,
	"DaemonSet": `
apiVersion: apps/v1
kind: DaemonSet
metadata: {name: work}
spec:
  selector: {matchLabels: {confit: inject}}
  template:
    `,
	"ReplicaSet": `
apiVersion: apps/v1
kind: ReplicaSet
metadata: {name: work}
spec:
  selector: {matchLabels: {confit: inject}}
  template:
    `,
	"Job": `
apiVersion: batch/v1
kind: Job
metadata: {name: work}
spec:
  template:
    `,
	"CronJob": `
apiVersion: batch/v1
kind: CronJob
metadata: {name: work}
spec:
  schedule: "@daily"
  jobTemplate:
    spec:
      template:
        `,
}

// testWarn: whoever applies a workload reads what is left alone, and only that.
func testWarn(s *server) {
	var all strings.Builder
	for _, name := range goldenNames(s) {
		said := s.warned("Deployment", name, "")
		fmt.Fprintf(&all, "%s\n%s\n", name, said)
		s.checkMentioned(name, said)
	}
	if *update {
		if err := os.WriteFile(warnings, []byte(all.String()), 0o644); err != nil {
			s.Fatal(err)
		}
	} else if want, err := os.ReadFile(warnings); err != nil || string(want) != all.String() {
		s.Errorf("got the warnings\n%s\nwant %s: %v", all.String(), warnings, err)
	}
	s.checkKinds()
}

// checkKinds: each workload has the same warnings, and none without the label.
func (s *server) checkKinds() {
	s.Helper()
	for kind := range templates {
		for _, name := range []string{"alone_hostpid", "stays_system", "init_sidecar", "command_neither", "volumes_two"} {
			want := strings.ReplaceAll(s.warned("Deployment", name, ""), "Deployment", kind)
			if got := s.warned(kind, name, ""); got != want {
				s.Errorf("%s of a %s: got the warnings\n%s\nwant\n%s", name, kind, got, want)
			}
			if got := s.warned(kind, name, "other"); got != "" {
				s.Errorf("%s of a %s without the label: got the warnings\n%s", name, kind, got)
			}
		}
	}
}

// ours is how a warning of confit begins.
const ours = "Warning: Validation failed for ValidatingAdmissionPolicy 'confit-warn' with binding 'confit-warn': "

// warned is what people read who apply a workload of a golden pod. Where label isn't "", the template has that one.
func (s *server) warned(kind, name, label string) string {
	s.Helper()
	manifest := s.template(kind, name)
	if label != "" {
		manifest = strings.Replace(manifest, "labels: {confit: inject}", "labels: {confit: "+label+"}", 1)
		manifest = strings.Replace(manifest, "matchLabels: {confit: inject}", "matchLabels: {confit: "+label+"}", 1)
	}
	a := s.must(manifest, "create", "--dry-run=server", "-o", "name", "-f", "-")
	var said strings.Builder
	for line := range strings.Lines(a.said) {
		if text, ok := strings.CutPrefix(line, ours); ok {
			said.WriteString("  " + text)
		}
	}
	return said.String()
}

// template is a workload of this kind that makes the pods of a golden file.
func (s *server) template(kind, name string) string {
	s.Helper()
	pod, err := os.ReadFile(goldenFile(name))
	if err != nil {
		s.Fatal(err)
	}
	_, pods, _ := strings.Cut(string(pod), "kind: Pod\n")
	if strings.HasSuffix(kind, "Job") {
		pods += "  restartPolicy: Never\n"
	}
	head := strings.TrimPrefix(templates[kind], "\n")
	indent := head[strings.LastIndex(head, "\n")+1:]
	return head + strings.ReplaceAll(strings.TrimSuffix(pods, "\n"), "\n", "\n"+indent) + "\n"
}

// counted says that a warning doesn't name all.
var counted = regexp.MustCompile(`; and [0-9]+ more`)

// checkMentioned: what is still a subPath mount of a ConfigMap, Secret or projected volume after the rewrite, and only that, is named.
func (s *server) checkMentioned(name, said string) {
	s.Helper()
	spec := s.rewritten[name]
	if strings.Contains(said, "leaves this pod as it is") || counted.MatchString(said) {
		return
	}
	watched := map[any]bool{}
	for _, v := range objects(spec["volumes"]) {
		watched[v["name"]] = v["configMap"] != nil || v["secret"] != nil || v["projected"] != nil
	}
	for _, c := range append(objects(spec["containers"]), objects(spec["initContainers"])...) {
		for _, m := range objects(c["volumeMounts"]) {
			stays := watched[m["name"]] && (m["subPath"] != nil || m["subPathExpr"] != nil)
			mentioned := strings.Contains(said, fmt.Sprintf("container %s, mount %q", c["name"], m["mountPath"])) ||
				strings.Contains(said, fmt.Sprintf("container %s: ", c["name"])) && stays
			if stays != mentioned {
				s.Errorf("%s: mount %q of container %s stays: %v, is named: %v in\n%s", name, m["mountPath"], c["name"], stays, mentioned, said)
			}
		}
	}
}

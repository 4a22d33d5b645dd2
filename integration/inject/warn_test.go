//go:build fleet

package inject

import (
	"fmt"
	"io"
	"iter"
	"maps"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
)

// warnings is the golden file of what people read about each pod's Deployment.
const warnings = "testdata/warnings.txt"

// testWarn: whoever applies a workload reads what is left alone, and only that.
func testWarn(s *server) {
	var all strings.Builder
	for name, pod := range s.golden(goldenNames(s)...) {
		kind := "Deployment"
		if pod["metadata"].(object)["ownerReferences"] != nil {
			kind = "Job"
		}
		said := s.warned(kind, "inject", pod)
		s.said[name] = said
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

// testAudit: the audit log has of a pod what people read about its workload, though the pod was rewritten in between.
func testAudit(s *server) {
	notes := s.PodNotes("stored")
	for name, said := range s.said {
		want := strings.ReplaceAll(strings.TrimSpace(summary.ReplaceAllString(said, "")), "\n  ", ". ")
		if got := notes[strings.ReplaceAll(name, "_", "-")]["confit-warn/left-alone"]; got != want {
			s.Errorf("%s: the audit log has\n%s\nwant\n%s", name, got, want)
		}
	}
}

// summary is the line about what is to be expected. Of a pod that was rewritten nobody can say it any more.
var summary = regexp.MustCompile(`(?m)^  [0-9]+ keys? follows?;.*\n`)

// checkKinds: each workload has the same warnings, and none without the label.
func (s *server) checkKinds() {
	s.Helper()
	for name, pod := range s.golden("alone_hostpid", "stays_system", "init_sidecar", "command_neither", "volumes_two") {
		want := s.warned("Deployment", "inject", pod)
		pod["metadata"].(object)["annotations"] = object{"confit/reload": "auto"} // else a Job's pods stay as they are
		for kind := range workloads {
			if got := s.warned(kind, "inject", pod); got != want {
				s.Errorf("%s of a %s: got the warnings\n%s\nwant\n%s", name, kind, got, want)
			}
			if got := s.warned(kind, "other", pod); got != "" {
				s.Errorf("%s of a %s without the label: got the warnings\n%s", name, kind, got)
			}
		}
	}
}

// golden are the pods of these golden files.
func (s *server) golden(names ...string) iter.Seq2[string, object] {
	pods := s.read(s.must("", append(files(names), "create", "--dry-run=client", "-o", "json")...))
	return func(yield func(string, object) bool) {
		for n, pod := range pods {
			if !yield(names[n], pod) {
				return
			}
		}
	}
}

// workloads are those that have a template of pods: the path to create one, and its spec.
var workloads = map[string]struct {
	path string
	spec func(template object) object
}{
	"Deployment":  {"/apis/apps/v1/namespaces/default/deployments", selecting},
	"StatefulSet": {"/apis/apps/v1/namespaces/default/statefulsets", selecting},
	"DaemonSet":   {"/apis/apps/v1/namespaces/default/daemonsets", selecting},
	"ReplicaSet":  {"/apis/apps/v1/namespaces/default/replicasets", selecting},
	"ReplicationController": {"/api/v1/namespaces/default/replicationcontrollers", func(template object) object {
		return object{"selector": template["metadata"].(object)["labels"], "template": template}
	}},
	"Job": {"/apis/batch/v1/namespaces/default/jobs", running},
	"CronJob": {"/apis/batch/v1/namespaces/default/cronjobs", func(template object) object {
		return object{"schedule": "@daily", "jobTemplate": object{"spec": running(template)}}
	}},
}

func selecting(template object) object {
	return object{"selector": object{"matchLabels": template["metadata"].(object)["labels"]}, "template": template}
}

func running(template object) object {
	template["spec"].(object)["restartPolicy"] = "Never"
	return object{"template": template}
}

// ours is how a warning of confit begins.
const ours = "Validation failed for ValidatingAdmissionPolicy 'confit-warn' with binding 'confit-warn': "

// warned is what people read who create a workload that makes such pods with this label.
func (s *server) warned(kind, label string, pod object) string {
	s.Helper()
	template := object{"metadata": object{"labels": object{"confit": label}}, "spec": maps.Clone(spec(pod))}
	if a, ok := pod["metadata"].(object)["annotations"]; ok {
		template["metadata"].(object)["annotations"] = a
	}
	w := workloads[kind]
	made := encode(object{"metadata": object{"name": "work"}, "spec": w.spec(template)})
	var said strings.Builder
	for _, text := range s.warnings(w.path+"?dryRun=All", made) {
		if text, ok := strings.CutPrefix(text, ours); ok {
			said.WriteString("  " + text + "\n")
		}
	}
	return said.String()
}

// warnings are those of the API server's answer to who creates an object: https://www.rfc-editor.org/rfc/rfc7234#section-5.5
func (s *server) warnings(path, object string) (all []string) {
	s.Helper()
	response, err := s.Open(s.Context(), http.MethodPost, path, object)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	if body, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusCreated {
		s.Fatalf("%s: %s: %s, %v", path, response.Status, body, err)
	}
	for _, header := range response.Header["Warning"] {
		text, err := strconv.Unquote(strings.TrimPrefix(header, "299 - "))
		if err != nil {
			s.Fatal(err)
		}
		all = append(all, text)
	}
	return all
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
			if strings.HasPrefix(c["name"].(string), "confit-") {
				continue // they have what others have
			}
			stays := watched[m["name"]] && (m["subPath"] != nil || m["subPathExpr"] != nil)
			mentioned := strings.Contains(said, fmt.Sprintf("container %s, mount %q", c["name"], m["mountPath"])) ||
				strings.Contains(said, fmt.Sprintf("container %s: ", c["name"])) && stays
			if stays != mentioned {
				s.Errorf("%s: mount %q of container %s stays: %v, is named: %v in\n%s", name, m["mountPath"], c["name"], stays, mentioned, said)
			}
		}
	}
}

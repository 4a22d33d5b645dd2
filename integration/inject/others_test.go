//go:build fleet

package inject

import (
	"fmt"
	"strings"
)

// other is a policy that changes the pods of the namespace of its name.
const other = `
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: %[1]s}
spec:
  failurePolicy: Fail
  reinvocationPolicy: Never
  matchConstraints:
    namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: %[2]s}}
    resourceRules: [{apiGroups: [""], apiVersions: [v1], operations: [CREATE], resources: [pods]}]
  mutations:
  - patchType: JSONPatch
    jsonPatch:
      expression: |-
        [%[3]s]
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: %[1]s}
spec: {policyName: %[1]s}
`

// addsContainer is what a policy does that brings a container and a volume of its own.
const addsContainer = `
          JSONPatch{op: 'add', path: '/spec/volumes/-', value: {'name': dyn('%[1]s'), 'configMap': dyn({'name': '%[1]s'})}},
          JSONPatch{op: 'add', path: '/spec/containers/-', value: {'name': dyn('%[1]s'), 'image': dyn('example.com/%[1]s:1'), 'command': dyn(['%[1]s']),
            'volumeMounts': dyn([{'name': '%[1]s', 'mountPath': '/etc/%[1]s/a.conf', 'subPath': 'a.conf'}])}}`

// testOthers: the server calls policies in any order, and in another one after any of them has changed. A container that another policy
// adds is rewritten with the pod or not at all; the pod is rewritten once.
func testOthers(s *server) {
	s.namespace("others", "")
	for _, name := range []string{"a-first", "z-last"} {
		s.must(fmt.Sprintf(other, name, "others", fmt.Sprintf(addsContainer, name)), "create", "-f", "-")
	}
	seen, round := map[string]bool{}, 0
	s.until("another policy's container came before, and after", func() bool {
		round++
		s.must("", "annotate", "mutatingadmissionpolicybinding", "a-first", "--overwrite", fmt.Sprintf("round=%d", round))
		pod := spec(s.read(s.must(simple, "create", "--dry-run=server", "-o", "json", "-n", "others", "-f", "-"))[0])
		if len(objects(pod["containers"])) != 3 {
			return false // the server hasn't seen the policies yet
		}
		s.checkOnce(pod)
		for _, c := range objects(pod["containers"])[1:] {
			seen[fmt.Sprint(c["name"], changed(c))] = true
		}
		return len(seen) == 4
	})
	s.Logf("each order was seen after %d changes", round)
}

// testReinvoked: a mount that another policy adds is followed, whoever comes first.
func testReinvoked(s *server) {
	s.namespace("reinvoked", "")
	s.must(fmt.Sprintf(other, "adds-mount", "reinvoked", `
          JSONPatch{op: 'add', path: '/spec/volumes', value: [{'name': dyn('conf'), 'configMap': dyn({'name': 'app'})}]},
          JSONPatch{op: 'add', path: '/spec/containers/0/volumeMounts', value: [{'name': 'conf', 'mountPath': '/etc/app/a.conf', 'subPath': 'a.conf'}]}`), "create", "-f", "-")
	bare := `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "bare", "labels": {"confit": "inject"}},
		"spec": {"containers": [{"name": "app", "image": "example.com/app:1", "command": ["app"]}]}}`
	s.until("the other policy is in force", func() bool { return strings.Contains(s.create("reinvoked", bare).out, "subPath") })
	for round := range 10 {
		s.must("", "annotate", "mutatingadmissionpolicybinding", "adds-mount", "--overwrite", fmt.Sprintf("round=%d", round))
		pod := spec(s.read(s.must(bare, "create", "--dry-run=server", "-o", "json", "-n", "reinvoked", "-f", "-"))[0])
		s.checkOnce(pod)
	}
}

// checkOnce: the first container is rewritten, and what is ours is there once.
func (s *server) checkOnce(pod object) {
	s.Helper()
	if c := objects(pod["containers"])[0]; !changed(c) {
		s.Errorf("container %s isn't rewritten: %s", c["name"], encode(c))
	}
	count := map[any]int{}
	for _, o := range append(objects(pod["volumes"]), objects(pod["initContainers"])...) {
		count[o["name"]]++
	}
	if count["confit-bin"] != 1 || count["confit-install"] != 1 {
		s.Errorf("the pod has confit %d times: %s", count["confit-install"], encode(pod))
	}
	for _, c := range objects(pod["containers"]) {
		lines := strings.Count(encode(c), "CONFIT_LINES")
		if words := fmt.Sprint(c["command"]); lines > 1 || (lines == 1) != changed(c) || strings.Count(words, "confit ") > 1 {
			s.Errorf("container %s is rewritten in part or twice: %s", c["name"], encode(c))
		}
	}
}

// changed says whether a container is rewritten.
func changed(c object) bool {
	return strings.HasPrefix(fmt.Sprint(c["command"]), "[/.confit/confit -- ")
}

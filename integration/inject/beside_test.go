//go:build fleet

package inject

import (
	"encoding/json"
	"strings"
)

// What else the API server does with a pod: the Pod Security Standards, limits and quotas.

// testStandard: a pod that the restricted standard lets in is let in, and rewritten.
func testStandard(s *server) {
	s.namespace("restricted", "pod-security.kubernetes.io/enforce: restricted")
	const name = "security_restricted"
	got := s.read(s.must("", append(files([]string{name}), "create", "-n", "restricted", "-o", "json")...))[0]
	if got, want := text(plain(spec(got))), text(s.rewritten[name]); got != want {
		s.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if a := s.kubectl("", append(files([]string{"env_none"}), "create", "-n", "restricted")...); a.ok || !strings.Contains(a.said, "violates PodSecurity") {
		s.Errorf("a pod that may be root is let in: %s", a.said)
	}
}

const limits = `
apiVersion: v1
kind: LimitRange
metadata: {name: limits}
spec: {limits: [{type: Container, default: {cpu: 200m, memory: 64Mi}, defaultRequest: {cpu: 100m, memory: 64Mi}}]}
---
apiVersion: v1
kind: ResourceQuota
metadata: {name: quota}
spec: {hard: {limits.cpu: 500m, limits.memory: 1Gi}}
`

// testLimits: the init containers have the limits of their containers, so a quota counts a pod as it did before.
func testLimits(s *server) {
	s.namespace("limits", "")
	s.must(limits, "create", "-n", "limits", "-f", "-")
	s.must("", "patch", "resourcequota", "quota", "-n", "limits", "--subresource=status", "--type=merge", "-p", // no controller does it here
		`{"status": {"hard": {"limits.cpu": "500m", "limits.memory": "1Gi"}, "used": {"limits.cpu": "0", "limits.memory": "0"}}}`)
	create := append(files([]string{"containers_two"}), "create", "-n", "limits", "-o", "json")
	var a answer
	s.until("the quota lets a pod in", func() bool { a = s.kubectl("", create...); return a.ok })
	pod := spec(s.read(a)[0])
	init := objects(pod["initContainers"])
	if len(init) != 5 {
		s.Errorf("%d init containers, want 5", len(init))
	}
	for _, c := range append(init, objects(pod["containers"])...) {
		if got := encode(c["resources"].(object)["limits"].(object)); got != `{"cpu":"200m","memory":"64Mi"}` {
			s.Errorf("%s has the limits %s", c["name"], got)
		}
	}
	var quota struct {
		Status struct{ Used map[string]string }
	}
	if err := json.Unmarshal([]byte(s.must("", "get", "resourcequota", "quota", "-n", "limits", "-o", "json").out), &quota); err != nil {
		s.Fatal(err)
	}
	if used := quota.Status.Used; used["limits.cpu"] != "400m" || used["limits.memory"] != "128Mi" {
		s.Errorf("the quota counts %v, want what both containers may use", used)
	}
	second := append(files([]string{"env_none"}), "create", "-n", "limits")
	if a := s.kubectl("", second...); a.ok || !strings.Contains(a.said, "exceeded quota") {
		s.Errorf("the quota lets more in than there is: %s", a.said)
	}
}

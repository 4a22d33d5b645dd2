//go:build check

package examples

import (
	"net"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"confit/integration/internal/apiserver"
	"confit/integration/internal/harness"
)

// fleet is one replica. More of them together are in integration/confit/fleet_edit_test.go.
var fleet = example{
	name: "fleet", key: "nginx.conf", ask: get("http://127.0.0.1:8080/healthz"), taken: reloaded,
	before: "location = /healthz", after: "location = /health", step: "verify",
	base: nameAPI, around: serveAPI, last: (*container).snapshotIsSecond,
}

const (
	apiHost, apiPort = "127.0.0.1", "6443"
	account          = "run/secrets/kubernetes.io/serviceaccount" // /var/run is a link to /run, which from here is the machine's
)

var (
	objectLine = regexp.MustCompile(`(?m)^kind: (Lease|ConfigMap)\nmetadata:\n  name: ([\w-]+)$`)
	ruleLine   = regexp.MustCompile(`(?m)^  - \{apiGroups: \[.*\], resources: \[(\w+)\], resourceNames: \[(.*)\], verbs: \[(.*)\]\}$`)
)

// nameAPI is what the kubelet tells every container.
func nameAPI(c *container) {
	c.pod = append(c.pod, "KUBERNETES_SERVICE_HOST="+apiHost, "KUBERNETES_SERVICE_PORT="+apiPort)
}

// serveAPI is the API server as the pod finds it: with the objects of the manifest, which the pod may use as far as the manifest's role
// says, and with a service account.
func serveAPI(c *container) {
	c.t.Helper()
	c.api = apiserver.New(c.objects()...)
	for _, path := range c.objects() {
		for _, verb := range []string{"get", "update"} {
			if !c.allows(verb, path) {
				c.api.Forbid(verb, path)
			}
		}
	}
	l, err := c.Listen("tcp", net.JoinHostPort(apiHost, apiPort))
	must(c.t, err)
	authority := c.api.Start(l)
	c.t.Cleanup(c.api.Stop)
	must(c.t, os.MkdirAll(filepath.Join(c.root, account), 0o755))
	for name, content := range map[string]string{"token": apiserver.Token, "namespace": apiserver.Namespace, "ca.crt": string(authority)} {
		must(c.t, os.WriteFile(filepath.Join(c.root, account, name), []byte(content), 0o644))
	}
}

// objects are the paths of those that the manifest makes.
func (m manifest) objects() (paths []string) {
	for _, match := range objectLine.FindAllStringSubmatch(m.text, -1) {
		if match[1] == "Lease" {
			paths = append(paths, apiserver.Lease(match[2]))
		} else {
			paths = append(paths, apiserver.ConfigMap(match[2]))
		}
	}
	return paths
}

// allows reports whether the manifest's role allows a verb on an object.
func (m manifest) allows(verb, path string) bool {
	for _, rule := range ruleLine.FindAllStringSubmatch(m.text, -1) {
		resource, names, verbs := rule[1], strings.Split(rule[2], ", "), strings.Split(rule[3], ", ")
		if strings.Contains(path, "/"+resource+"/") && slices.Contains(names, filepath.Base(path)) && slices.Contains(verbs, verb) {
			return true
		}
	}
	return false
}

// snapshotIsSecond: the bad edit never came into it.
func (c *container) snapshotIsSecond() {
	c.t.Helper()
	harness.Eventually(c.t, "a snapshot of the "+second, func() bool {
		web, _ := c.api.Get(apiserver.ConfigMap("fleet-accepted-web"))["data"].(apiserver.Object)
		pages, _ := c.api.Get(apiserver.ConfigMap("fleet-accepted-pages"))["data"].(apiserver.Object)
		conf, _ := web["nginx.conf"].(string)
		return strings.Contains(conf, second) && pages["index.html"] != nil && len(web) == 2 && len(pages) == 2
	})
}

// TestFleetRole holds that the role lets the pod change what it has to, and not its own configuration.
func TestFleetRole(t *testing.T) {
	top, err := harness.Root()
	must(t, err)
	m := readManifest(t, filepath.Join(top, "examples/fleet/kubernetes.yaml"))
	if len(m.objects()) != 5 {
		t.Errorf("the manifest makes %q", m.objects())
	}
	for _, path := range m.objects() {
		own := strings.HasSuffix(path, "/fleet-web") || strings.HasSuffix(path, "/fleet-pages")
		if m.allows("get", path) == own || m.allows("update", path) == own {
			t.Errorf("%s: get %v, update %v", path, m.allows("get", path), m.allows("update", path))
		}
	}
}

//go:build fleet

package fleet

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"confit/integration/cluster"
	"confit/integration/internal/harness"
)

// node is what a kubelet is to the pods of a fleet: people can run commands in them, the API has how their containers are, and an edit
// comes to the pods that are changed, and to no others.
type node struct {
	fleet   *fleet
	gated   bool // its pods have the gate
	name    string
	brought map[string]string // by UID: the annotation that had it look last
	told    map[*pod]string   // the status that the API has
	asleep  atomic.Bool       // it looks at no annotation
}

// look is how often the kubelet does.
const look = 200 * time.Millisecond

// newNodeFleet is a fleet with a node, whose pods all run on the first edition.
func newNodeFleet(t *testing.T, c *cluster.Cluster, name string, size int, gated bool) *fleet {
	f := newFleet(t, c, name)
	f.node = &node{fleet: f, gated: gated, name: "node-" + name, brought: map[string]string{}, told: map[*pod]string{}}
	f.node.register()
	c.Must(http.MethodDelete, cluster.Core+"configmaps/"+name, "", http.StatusOK)
	f.put("first", "good") // so its keys are kubectl's, as apply wants it
	f.scale(size)
	f.each("all run on the first edition", func(p *pod) bool { return p.status().Accepted.Hash != "" })
	ctx, cancel := context.WithCancel(context.Background())
	var kubelet sync.WaitGroup
	kubelet.Go(func() { harness.PollEvery(ctx, look, func() bool { f.node.look(); return false }) })
	t.Cleanup(func() { cancel(); kubelet.Wait() })
	return f
}

// register makes the object, by which the API server finds who runs commands in its pods.
func (n *node) register() {
	t := n.fleet.t
	t.Helper()
	kubelet, err := harness.Accompany(exec.Command(filepath.Join(programs.dir, "node"), n.fleet.dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(kubelet.Kill)
	said, err := kubelet.Hear()
	port, err2 := strconv.Atoi(said)
	if err != nil || err2 != nil {
		t.Fatalf("the node says %q, %v", said, err)
	}
	n.fleet.cluster.Must(http.MethodPost, "/api/v1/nodes", fmt.Sprintf(`{"metadata": {"name": %q}, "status": {
		"addresses": [{"type": "InternalIP", "address": "127.0.0.1"}], "daemonEndpoints": {"kubeletEndpoint": {"Port": %d}}}}`, n.name, port), http.StatusCreated)
}

// spec is that of its pods.
func (n *node) spec() string {
	gate := ""
	if n.gated {
		gate = `, {"name": "CONFIT_GATE", "value": "confitctl gate"}`
	}
	return fmt.Sprintf(`{"serviceAccountName": %[1]q, "nodeName": %[2]q, "volumes": [{"name": "web", "configMap": {"name": %[1]q}}], "containers": [{
		"name": "web", "image": "web", "command": ["/bin/confit", "--", "app"], "volumeMounts": [{"name": "web", "mountPath": "/confit/web"}],
		"env": [{"name": "CONFITCTL_LEASE", "value": %[1]q}, {"name": "CONFITCTL_REVISION", "value": %[3]q}%[4]s]}]}`, n.fleet.name, n.name, firstImage, gate)
}

// links has an app live longer than the late ones before its edit is kept.
func (n *node) links() string {
	text := links + "soak 5s\n"
	if n.gated {
		return text
	}
	lines := slices.Collect(strings.Lines(text))
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool {
		return strings.HasPrefix(line, "gate") || strings.HasPrefix(line, "report") || strings.HasPrefix(line, "fallback")
	}), "")
}

// look tells the API how the containers are, and brings the edit to the pods that were changed. A server that is away is asked again.
func (n *node) look() {
	for _, p := range n.fleet.pods {
		if status := p.containerStatus(); status != n.told[p] {
			code, _ := n.fleet.cluster.Do(http.MethodPatch, cluster.Core+"pods/"+p.name+"/status", status)
			if code != http.StatusOK {
				return
			}
			n.told[p] = status
		}
		if n.asleep.Load() {
			continue
		}
		code, answer := n.fleet.cluster.Do(http.MethodGet, cluster.Core+"pods/"+p.name, "")
		var found struct {
			Metadata struct{ Annotations map[string]string }
		}
		if code != http.StatusOK || json.Unmarshal(answer, &found) != nil {
			return
		}
		if asked := found.Metadata.Annotations["confit/sync"]; asked != n.brought[p.uid] && p.mount(n.fleet.name, "/confit/web") {
			n.brought[p.uid] = asked
		}
	}
}

// containerStatus is the change of the pod's status that says how its container is.
func (p *pod) containerStatus() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	state := fmt.Sprintf(`"running": {"startedAt": %q}`, p.begun.UTC().Format(time.RFC3339))
	if p.box == nil || !p.box.Alive() {
		code := p.code
		if p.box != nil {
			code = p.box.State().ExitCode()
		}
		state = fmt.Sprintf(`"terminated": {"exitCode": %d, "containerID": "test://%d"}`, code, p.starts)
	}
	last := "{}"
	if p.starts > 1 {
		last = fmt.Sprintf(`{"terminated": {"exitCode": %d, "containerID": "test://%d"}}`, p.code, p.starts-1)
	}
	return fmt.Sprintf(`{"status": {"phase": "Running", "containerStatuses": [{"name": "web", "image": "web", "imageID": "web", "ready": true,
		"restartCount": %d, "containerID": "test://%d", "state": {%s}, "lastState": %s}]}}`, p.starts-1, p.starts, state, last)
}

package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"confit/status"
)

// reporting is a replica that reports to a server which has a Lease and the object of a snapshot.
type reporting struct {
	t       *testing.T
	mu      sync.Mutex
	objects map[string]map[string]any // by path
	state   string                    // confit's state directory
	hash    string                    // of what the replica has accepted
	config  string                    // the kubeconfig
}

const (
	leasePath    = "/apis/coordination.k8s.io/v1/namespaces/prod/leases/web"
	acceptedPath = "/api/v1/namespaces/prod/configmaps/web-accepted-shm"
)

// newReporting is one whose generation 7 has a key of the volume shm.
func newReporting(t *testing.T) *reporting {
	t.Helper()
	sum := sha256.Sum256(fmt.Appendf(nil, "%q %x\n", "shm/key", sha256.Sum256([]byte("one"))))
	r := &reporting{t: t, state: t.TempDir(), hash: hex.EncodeToString(sum[:])}
	r.config = filepath.Join(t.TempDir(), "config")
	generation := filepath.Join(r.state, "generations/7")
	r.write(filepath.Join(generation, "shm/key"), "one")
	r.objects = map[string]map[string]any{
		leasePath: {"kind": "Lease", "apiVersion": "coordination.k8s.io/v1",
			"metadata": map[string]any{"name": "web", "namespace": "prod"}},
		acceptedPath: {"kind": "ConfigMap", "apiVersion": "v1",
			"metadata": map[string]any{"name": "web-accepted-shm", "namespace": "prod"}},
	}
	server := httptest.NewServer(r)
	t.Cleanup(server.Close)
	r.write(r.config, `{"current-context": "c",
		"contexts": [{"name": "c", "context": {"cluster": "c", "namespace": "prod"}}],
		"clusters": [{"name": "c", "cluster": {"server": "`+server.URL+`"}}]}`)
	hook(t, "CONFIT_CANDIDATE", generation, "CONFIT_HASH", r.hash, "CONFIT_ACCEPTED", r.hash, "CONFIT_BOUND", "")
	return r
}

func (r *reporting) write(file, text string) {
	r.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
		r.t.Fatal(err)
	}
}

// ServeHTTP answers as the API server does, to whoever gets or replaces an object.
func (r *reporting) ServeHTTP(w http.ResponseWriter, request *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	object := r.objects[request.URL.Path]
	if request.Method == http.MethodPut {
		object = map[string]any{}
		if err := json.NewDecoder(request.Body).Decode(&object); err != nil {
			r.t.Errorf("cannot read what is put: %v", err)
		}
		r.objects[request.URL.Path] = object
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(object)
}

// reports runs the hook, and returns what it says and what the object of the snapshot then has of the key.
func (r *reporting) reports() (said string, kept any) {
	r.t.Helper()
	code, _, said := run(r.t, "report", "--kubeconfig", r.config, "--snapshot", "shm")
	if code != 0 {
		r.t.Fatalf("exit %d: %s", code, said)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	data, _ := r.objects[acceptedPath]["data"].(map[string]any)
	return said, data["key"]
}

// TestReport_memory: a volume that confit's status finds in memory may be a Secret, and is in no ConfigMap. Without a
// status the modes of the keys say enough.
func TestReport_memory(t *testing.T) {
	r := newReporting(t)
	found := status.Status{}
	for _, path := range []string{"/dev/shm", t.TempDir(), "/nonexistent/web"} {
		found.Volumes = append(found.Volumes, status.Volume{Path: path})
	}
	r.write(filepath.Join(r.state, "status.json"), string(found.Encode()))
	const want = `no snapshot: volume "shm" isn't for a ConfigMap, as it is mounted from memory`
	if said, kept := r.reports(); !strings.HasPrefix(said, want) || kept != nil {
		t.Errorf("said %q, want %q; kept %v", said, want, kept)
	}
	if err := os.Remove(filepath.Join(r.state, "status.json")); err != nil {
		t.Fatal(err)
	}
	if said, kept := r.reports(); said != "" || kept != "one" {
		t.Errorf("without a status: said %q, kept %v", said, kept)
	}
}

// TestIsInMemory: what is mounted last on a path is what is seen there, and it may be a directory of its file system.
func TestIsInMemory(t *testing.T) {
	const mountinfo = `22 1 0:20 / / rw - overlay overlay rw
30 22 0:41 / /confit/tls ro,relatime - tmpfs tmpfs rw,size=131072k
31 22 0:30 /var/lib/kubelet/pods/1/volumes/web /confit/diskless ro - tmpfs tmpfs rw
32 22 0:42 / /confit/with\040blank\134 ro shared:4 - tmpfs tmpfs rw
33 22 0:43 / /confit/over ro - tmpfs tmpfs rw
34 33 8:1 / /confit/over ro - ext4 /dev/sda1 rw
35 22 0:44 / /confit/old ro - ramfs none rw
36 22 8:1 / /confit/disk ro - ext4 /dev/sda1 rw
`
	for path, want := range map[string]bool{
		"/confit/tls": true, "/confit/diskless": false, `/confit/with blank\`: true, "/confit/over": false, "/confit/old": true,
		"/confit/disk": false, "/confit/tls/sub": false, "/none": false,
	} {
		if got := isInMemory(mountinfo, path); got != want {
			t.Errorf("%s: %v", path, got)
		}
	}
}

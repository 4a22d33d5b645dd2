package confit

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net"
	"strings"
	"testing"

	"confit/integration/internal/apiserver"
	"confit/integration/internal/harness"
)

// fleet is replicas of one revision that share the Lease web, and keep their volume web in a snapshot, and tls in a Secret.
type fleet struct {
	t         *testing.T
	api       *apiserver.Server
	address   string
	authority []byte
	members   []*member
}

// member is one replica. Its state directory outlives its confit.
type member struct {
	*setup
	fleet    *fleet
	name     string
	web, tls *volume
	run      *confit
}

var (
	leasePath   = apiserver.Lease("web")
	acceptedWeb = apiserver.ConfigMap("web-accepted-web")
	acceptedTLS = apiserver.Secret("web-accepted-tls")
)

func newFleet(t *testing.T) *fleet {
	t.Helper()
	f := &fleet{t: t, api: apiserver.New(leasePath, acceptedWeb, acceptedTLS)}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	f.address, f.authority = l.Addr().String(), f.api.Start(l)
	t.Cleanup(f.api.Stop)
	return f
}

// outage takes the API server away, and returns what brings it back.
func (f *fleet) outage() (over func()) {
	f.api.Stop()
	return func() {
		f.t.Helper()
		harness.Eventually(f.t, "the server's port", func() bool {
			l, err := net.Listen("tcp", f.address)
			if err == nil {
				f.api.Start(l)
			}
			return err == nil
		})
	}
}

// add makes a replica that has "first" mounted, and its neighbours' keys of the pod. It doesn't run yet.
func (f *fleet) add() *member {
	f.t.Helper()
	s, web := newProved(f.t)
	m := &member{setup: s, fleet: f, name: fmt.Sprintf("web-%d", len(f.members)), web: web, tls: s.volume("tls")}
	f.members = append(f.members, m)
	s.line("link tls/token %s", s.target("token"))
	s.line("input pod/name local")
	s.line("validate sh -c '! grep -q bad {candidate}/web/text'")
	s.line("gate %s gate", programs.confitctl)
	s.line("report %s report --snapshot web --snapshot-secrets tls", programs.confitctl)
	s.line("fallback %s", s.path("fallback"))
	s.line("retry 100ms")
	s.line("rescan 1s") // the user's instances of inotify may be used up where many confits run
	s.flag("--probation", "500ms")
	kubeconfig := fmt.Sprintf(`{"apiVersion": "v1", "kind": "Config", "current-context": "x",
		"clusters": [{"name": "c", "cluster": {"server": "https://%s", "certificate-authority-data": %q}}], "users": [{"name": "u", "user": {"token": %q}}],
		"contexts": [{"name": "x", "context": {"cluster": "c", "user": "u", "namespace": %q}}]}`, f.address, base64.StdEncoding.EncodeToString(f.authority), apiserver.Token, apiserver.Namespace)
	s.env = append(s.env, "CONFITCTL_KUBECONFIG="+s.write(s.path("kubeconfig"), kubeconfig), "CONFITCTL_LEASE=web", "CONFITCTL_REVISION=r1",
		"CONFITCTL_POD_UID=uid-"+m.name, "CONFITCTL_POD="+m.name)
	s.volume("pod").swap(keys{"name": m.name})
	m.tls.swap(keys{"token": "one"})
	web.swap(keys{"text": "first"})
	return m
}

// start starts the replica. Its app takes so long to end that a report comes through meanwhile.
func (m *member) start() *confit {
	m.t.Helper()
	m.run = m.setup.start(m.printer("-delay", "2s")...)
	return m.run
}

// reads waits until the app has read a text.
func (m *member) reads(text string) {
	m.t.Helper()
	m.run.Says("read "+text, 1)
}

// hears waits until the gate or the report of a replica says something.
func (m *member) hears(said string) {
	m.t.Helper()
	m.run.Eventually(m.name+" hears "+said, func() bool { return m.run.Contains(said) })
}

// startAll starts so many replicas, and waits until "first" is what the fleet has accepted.
func (f *fleet) startAll(n int) {
	f.t.Helper()
	for range n {
		f.add().start()
	}
	for _, m := range f.members {
		m.run.accepts(1)
		m.run.logs("outcome reported", 1)
	}
	f.holds("first")
}

// edit swaps a text in everywhere.
func (f *fleet) edit(text string) {
	f.t.Helper()
	for _, m := range f.members {
		m.web.swap(keys{"text": text})
	}
}

// record is what the replicas share.
func (f *fleet) record() (r struct {
	Snapshot  string
	Revisions []struct {
		Name, Stable string
		Trial        struct {
			Accepted int
			Losses   int
			Holds    []struct{ Pod string }
		}
		Rejected []struct{ Step, Pod string }
	}
}) {
	f.t.Helper()
	metadata := f.api.Get(leasePath)["metadata"].(apiserver.Object)
	annotations, _ := metadata["annotations"].(apiserver.Object)
	text, _ := annotations["confit/rollout"].(string)
	if text != "" && json.Unmarshal([]byte(text), &r) != nil {
		f.t.Fatalf("the record is %q", text)
	}
	return r
}

// snapshot is what an object of the snapshot holds.
func (f *fleet) snapshot(path string) keys {
	data, _ := f.api.Get(path)["data"].(apiserver.Object)
	found := keys{}
	for name, value := range data {
		found[name], _ = value.(string)
		if path == acceptedTLS {
			content, _ := base64.StdEncoding.DecodeString(found[name])
			found[name] = string(content)
		}
	}
	return found
}

// holds waits until the snapshot is a text, whole and of what the record wants.
func (f *fleet) holds(text string) {
	f.t.Helper()
	var web, tls keys
	harness.Eventually(f.t, "a whole snapshot of "+text, func() bool {
		web, tls = f.snapshot(acceptedWeb), f.snapshot(acceptedTLS)
		return web["text"] == text && whole(web) == f.record().Snapshot && whole(tls) == whole(web)
	})
	if len(web) != 2 || len(tls) != 2 || tls["token"] != "one" {
		f.t.Errorf("the snapshot holds %q and %q", web, tls)
	}
}

// whole is the second word of a volume's hashes.
func whole(k keys) string {
	_, hash, _ := strings.Cut(strings.TrimSpace(k[".confit-hash"]), " ")
	return hash
}

// mountSnapshot mounts the snapshot in a replica, as the kubelet does when a pod starts.
func (m *member) mountSnapshot() {
	m.t.Helper()
	for name, path := range map[string]string{"web": acceptedWeb, "tls": acceptedTLS} {
		newVolume(m.t, m.mkdir("fallback", name)).swap(m.fleet.snapshot(path))
	}
}

// readers are the replicas whose app has read a text.
func (f *fleet) readers(text string) (found []*member) {
	for _, m := range f.members {
		if len(m.run.Texts("stdout", "read "+text)) > 0 {
			found = append(found, m)
		}
	}
	return found
}

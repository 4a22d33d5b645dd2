//go:build fleet

package fleet

import (
	"context"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"k8s.io/client-go/rest"

	"confit/confitctl/kube"
	"confit/confitctl/lease"
	"confit/confitctl/patience"
	"confit/confitctl/rollout"
	"confit/integration/cluster"
)

const (
	waiters   = 1000
	spread    = 5 * time.Second // within which the kubelets swap an edit
	probation = 2 * time.Second // from a gate's exit to the report
)

// traffic counts what goes over the wire, TLS included.
type traffic struct{ sent, received, connections atomic.Int64 }

type counted struct {
	net.Conn
	*traffic
}

func (c counted) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	c.received.Add(int64(n))
	return n, err
}

func (c counted) Write(b []byte) (int, error) {
	n, err := c.Conn.Write(b)
	c.sent.Add(int64(n))
	return n, err
}

// many are the replicas of a large fleet: each is a gate and a report with a
// connection of its own. Only confit and the app are left out.
type many struct {
	*cluster.Cluster
	t     *testing.T
	token string
	traffic
}

// TestThousandWaiters rolls one edit out over a thousand replicas on a real API
// server, and tells what that costs the server.
func TestThousandWaiters(t *testing.T) {
	m := &many{Cluster: cluster.Start(t), t: t}
	m.Account("web")
	m.Allow("web", cluster.LeaseRule("web", "get", "update"))
	m.Must(http.MethodPost, cluster.Leases, `{"metadata": {"name": "web"}}`, http.StatusCreated)
	m.token = m.Token("web", "")
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute) // where others use the processors, too
	defer cancel()
	first := rollout.Outcome{Kind: rollout.Accepted, Source: "mounted"}
	if _, err := Report(ctx, m.store(), replica("0", "A"), first); err != nil {
		t.Fatal(err)
	}
	tell := m.measure()
	var all sync.WaitGroup
	for i := range waiters {
		all.Go(func() { m.live(ctx, i) })
	}
	all.Wait()
	tell()
}

// live is one replica's part.
func (m *many) live(ctx context.Context, number int) {
	me, store := replica(strings.Repeat("x", 32)+string(rune('A'+number)), "B"), m.store()
	p, _ := rollout.ParseParallel("25%")
	g := Gate{Store: store, Me: me, Policy: rollout.Policy{Canaries: 1, Parallel: p}, Out: io.Discard}
	if patience.Sleep(ctx, rand.N(spread)) != nil {
		return
	}
	if err := g.Run(ctx); err != nil {
		m.t.Errorf("gate %d: %v", number, err)
		return
	}
	_ = patience.Sleep(ctx, probation)
	if _, err := Report(ctx, store, me, rollout.Outcome{Kind: rollout.Accepted, Source: "mounted"}); err != nil {
		m.t.Errorf("report %d: %v", number, err)
	}
}

// store is a client with a connection of its own: client-go shares one among
// those with the same dialer.
func (m *many) store() *lease.Store {
	c := &rest.Config{
		Host: "https://127.0.0.1:" + m.Port, BearerToken: m.token, TLSClientConfig: rest.TLSClientConfig{CAFile: m.CA()},
		Timeout: 10 * time.Second, QPS: -1,
	}
	c.Dial = func(ctx context.Context, network, address string) (net.Conn, error) {
		m.connections.Add(1)
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return counted{conn, &m.traffic}, err
	}
	store, err := lease.Open(kube.Cluster{Config: c, Namespace: "default"}, "web")
	if err != nil {
		m.t.Fatal(err)
	}
	return store
}

// measure begins to, and returns what tells the result.
func (m *many) measure() (tell func()) {
	begin, asked := time.Now(), len(m.Audit())
	api, etcd := m.CPU()
	return func() {
		took, all := time.Since(begin), m.Audit()[asked:]
		apiNow, etcdNow := m.CPU()
		gets, updates, conflicts := 0, 0, 0
		for _, a := range all {
			switch {
			case a.Verb == "get":
				gets++
			case a.Code == http.StatusConflict:
				conflicts++
			default:
				updates++
			}
		}
		m.t.Logf("%d replicas, %v of probation: all through after %.0f s", waiters, probation, took.Seconds())
		m.t.Logf("requests: %d GET, %d PUT, %d conflicts; %.1f for each replica, %.0f each second",
			gets, updates, conflicts, float64(len(all))/waiters, float64(len(all))/took.Seconds())
		m.t.Logf("%d connections; %.1f MB sent, %.1f MB received", m.connections.Load(), float64(m.sent.Load())/1e6, float64(m.received.Load())/1e6)
		m.t.Logf("CPU time: API server %.1f s, etcd %.1f s; %.2f ms for each request",
			(apiNow - api).Seconds(), (etcdNow - etcd).Seconds(), float64((apiNow-api).Milliseconds())/float64(len(all)))
		if updates < 2*waiters {
			m.t.Errorf("only %d updates of %d replicas: somebody passed without a place", updates, waiters)
		}
	}
}

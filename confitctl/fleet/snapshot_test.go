package fleet

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	meta "k8s.io/apimachinery/pkg/apis/meta/v1"

	"confit/confitctl/rollout"
	"confit/confitctl/snapshot"
)

// accepted is the configuration of that name: two volumes with a key each.
func accepted(t *testing.T, name string) snapshot.Source {
	t.Helper()
	dir, hash := t.TempDir(), sha256.New()
	for _, path := range []string{"pages/index", "tls/key", "web/conf"} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, path), []byte(name), 0o644); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(hash, "%q %x\n", path, sha256.Sum256([]byte(name)))
	}
	return snapshot.Source{Dir: dir, Hash: fmt.Sprintf("%x", hash.Sum(nil))}
}

// newSnapshots is a server with the objects that the manifest makes.
func newSnapshots(t *testing.T) *server {
	s := newServer(t)
	s.make(configMaps+"web", "v1", "ConfigMap", nil)
	s.make(configMaps+"pages", "v1", "ConfigMap", map[string]any{"data": map[string]any{"old": "1"}})
	s.make(secrets+"tls", "v1", "Secret", map[string]any{"type": "Opaque"})
	return s
}

// keeper is a replica with what it has accepted.
func (s *server) keeper(t *testing.T, source snapshot.Source) *Snapshot {
	t.Helper()
	store, err := snapshot.Open(s.cluster(), "web")
	if err != nil {
		t.Fatal(err)
	}
	objects := []snapshot.Object{{Volume: "web"}, {Volume: "pages"}, {Volume: "tls", Secret: true}}
	return &Snapshot{Lease: s.open(t), Store: store, Objects: objects, Source: source, Out: &bytes.Buffer{}}
}

func (k *Snapshot) said() string { return k.Out.(*bytes.Buffer).String() }

// wants makes the record want a hash.
func (s *server) wants(t *testing.T, hash string) {
	s.edit(t, func(r rollout.Record) rollout.Record {
		r.Snapshot = hash
		return r
	})
}

// keeps is what a report does when its outcome is stored.
func (s *server) keeps(ctx context.Context, t *testing.T, k *Snapshot) error {
	return k.Keep(ctx, s.record(t))
}

// holds is what an object has, and the second word of its hashes.
func (s *server) holds(path string) (content, whole string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	data, _ := s.objects[path].Object["data"].(map[string]any)
	hashes, _ := data[".confit-hash"].(string)
	_, whole, _ = strings.Cut(strings.TrimSpace(hashes), " ")
	return fmt.Sprint(data), whole
}

// puts counts the updates of objects.
func (s *server) puts() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, r := range s.requests {
		if strings.HasPrefix(r, "PUT web-accepted-") {
			n++
		}
	}
	return n
}

// TestKeep: all objects hold what was accepted, with both hashes, and nothing
// else of them is lost. Who comes next only looks.
func TestKeep(t *testing.T) {
	s := newSnapshots(t)
	a := accepted(t, "A")
	s.wants(t, a.Hash)
	for range 2 {
		k := s.keeper(t, a)
		if err := s.keeps(bounded(t), t, k); err != nil || k.said() != "" {
			t.Fatalf("%v, said %q", err, k.said())
		}
	}
	for path, want := range map[string]string{configMaps + "web": "conf:A", configMaps + "pages": "index:A", secrets + "tls": "key:QQ=="} {
		content, whole := s.holds(path)
		if !strings.Contains(content, want) || strings.Contains(content, "old") || path != secrets+"tls" && whole != a.Hash {
			t.Errorf("%s holds %s", path, content)
		}
		if object := s.objects[path]; object.GetLabels()["app"] != "web" || object.GetAnnotations()[snapshot.Annotation] != a.Hash {
			t.Errorf("%s has %v", path, object.Object)
		}
	}
	if s.objects[secrets+"tls"].Object["type"] != "Opaque" {
		t.Error("the Secret's type was lost")
	}
	if n := s.puts(); n != 3 {
		t.Errorf("%d updates", n)
	}
}

// TestKeepNothing: a replica that has accepted something else, or nothing, asks
// for nothing.
func TestKeepNothing(t *testing.T) {
	s := newSnapshots(t)
	s.wants(t, accepted(t, "B").Hash)
	for _, source := range []snapshot.Source{accepted(t, "A"), {}} {
		if err := s.keeps(bounded(t), t, s.keeper(t, source)); err != nil || s.count() != 0 {
			t.Errorf("%v, %d requests", err, s.count())
		}
	}
}

// TestKeepHealed: a replica that is killed or cut off between its objects leaves
// a snapshot that is torn, and that PID 1 refuses. Whoever reports next fixes it.
func TestKeepHealed(t *testing.T) {
	s := newSnapshots(t)
	a := accepted(t, "A")
	s.wants(t, a.Hash)
	ctx, kill := context.WithCancel(t.Context())
	s.before = func(r *http.Request) {
		if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "-pages") {
			kill()
		}
	}
	if err := s.keeps(ctx, t, s.keeper(t, a)); err == nil {
		t.Error("it says that it is done")
	}
	s.before = nil
	if err := s.keeps(bounded(t), t, s.keeper(t, a)); err != nil {
		t.Fatal(err)
	}
	for _, volume := range []string{"web", "pages"} {
		if _, whole := s.holds(configMaps + volume); whole != a.Hash {
			t.Errorf("%s is of %q", volume, whole)
		}
	}
}

// TestKeepOutdated: between its steps the fleet accepts something newer, and
// somebody writes that. The older one stops, wherever it is.
func TestKeepOutdated(t *testing.T) {
	for _, at := range []string{"GET web-accepted-web", "GET web", "PUT web-accepted-web", "PUT web-accepted-pages"} {
		t.Run(at, func(t *testing.T) {
			s := newSnapshots(t)
			a, b := accepted(t, "A"), accepted(t, "B")
			s.wants(t, a.Hash)
			var once sync.Once
			s.before = func(r *http.Request) {
				if r.Method+" "+filepath.Base(r.URL.Path) != at {
					return
				}
				once.Do(func() {
					s.before = nil // all requests come one after the other
					s.wants(t, b.Hash)
					if err := s.keeps(bounded(t), t, s.keeper(t, b)); err != nil {
						t.Error(err)
					}
				})
			}
			k := s.keeper(t, a)
			if err := s.keeps(bounded(t), t, k); err != nil || k.said() != "" {
				t.Errorf("%v, said %q", err, k.said())
			}
			for _, volume := range []string{"web", "pages"} {
				if _, whole := s.holds(configMaps + volume); whole != b.Hash {
					t.Errorf("%s is not of B", volume)
				}
			}
		})
	}
}

// TestKeepProblems: what only a person can fix is said, with what to write, and
// stops nobody. What passes by itself is an error, so that confit reports again.
func TestKeepProblems(t *testing.T) {
	for want, prepare := range map[string]func(s *server, a *snapshot.Source){
		`no snapshot: cannot get configmap "web-accepted-web" in namespace "prod": forbidden; allow "get" on resource "configmaps" of group "", ` +
			`resourceNames ["web-accepted-web"]: says the server: Forbidden`: func(s *server, _ *snapshot.Source) {
			s.fails(1, http.StatusForbidden, meta.StatusReasonForbidden)
		},
		`no snapshot: cannot update secret "web-accepted-tls" in namespace "prod": forbidden; allow "update" on resource "secrets" of group "", ` +
			`resourceNames ["web-accepted-tls"]: says the server: Forbidden`: func(s *server, _ *snapshot.Source) {
			s.before = func(r *http.Request) {
				if r.Method == http.MethodPut && strings.HasSuffix(r.URL.Path, "-tls") {
					s.fails(1, http.StatusForbidden, meta.StatusReasonForbidden)
				}
			}
		},
		`no snapshot: cannot get configmap "web-accepted-pages" in namespace "prod": there is none; the manifest has to make it`: func(s *server, _ *snapshot.Source) {
			delete(s.objects, configMaps+"pages")
		},
		`no snapshot: the keys in `: func(_ *server, a *snapshot.Source) { a.Dir = t.TempDir() },
	} {
		s := newSnapshots(t)
		a := accepted(t, "A")
		s.wants(t, a.Hash)
		prepare(s, &a)
		k := s.keeper(t, a)
		if err := s.keeps(bounded(t), t, k); err != nil || !strings.HasPrefix(k.said(), want) {
			t.Errorf("%v, said %q, want %q", err, k.said(), want)
		}
	}
	s := newSnapshots(t)
	a := accepted(t, "A")
	s.wants(t, a.Hash)
	s.fails(100, http.StatusServiceUnavailable, meta.StatusReasonServiceUnavailable)
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := s.keeps(ctx, t, s.keeper(t, a)); err == nil {
		t.Error("it says that it is done, and the server is away")
	}
}

// TestKeepers: many replicas report and keep at once, while requests are delayed
// and answered by errors, and others die between any two of them. What an object
// holds never goes back to what the fleet accepted before, and in the end it is
// what the fleet accepted last.
func TestKeepers(t *testing.T) {
	for round := range 20 {
		s := newSnapshots(t)
		var order []string
		s.before = func(*http.Request) { time.Sleep(rand.N(2 * time.Millisecond)) }
		var all sync.WaitGroup
		var last snapshot.Source
		for i := range 5 {
			last = accepted(t, fmt.Sprint(round, "-", i))
			order = append(order, last.Hash)
			s.wants(t, last.Hash)
			for range 3 {
				record, k := s.record(t), s.keeper(t, last)
				all.Go(func() {
					ctx, cancel := context.WithTimeout(t.Context(), rand.N(50*time.Millisecond))
					defer cancel()
					_ = k.Keep(ctx, record)
				})
			}
			time.Sleep(rand.N(10 * time.Millisecond))
		}
		all.Wait()
		if err := s.keeps(bounded(t), t, s.keeper(t, last)); err != nil {
			t.Fatal(err)
		}
		for _, path := range []string{configMaps + "web", configMaps + "pages", secrets + "tls"} {
			held := s.held[path]
			if !slices.IsSortedFunc(held, func(a, b string) int { return slices.Index(order, a) - slices.Index(order, b) }) || held[len(held)-1] != last.Hash {
				t.Fatalf("round %d: %s held %v, and the fleet accepted %v", round, path, held, order)
			}
		}
	}
}

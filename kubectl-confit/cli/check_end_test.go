package cli

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/client-go/tools/clientcmd"
)

// TestCheckStopped: a signal at each request, before it is answered or at the same time, leaves no copy.
func TestCheckStopped(t *testing.T) {
	n := newNode(t, tlsPod("web-0"))
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	late := make(chan os.Signal, 1) // a signal that comes when a run has ended must not end the test
	signal.Notify(late, os.Interrupt)
	defer signal.Stop(late)
	for _, meanwhile := range []time.Duration{0, 20 * time.Millisecond} {
		stopped, last := 0, 1000
		for at := 1; at <= last; at++ {
			requests, here := 0, "" // of this run
			n.Refuse(func(verb, resource, name string) int {
				if requests++; requests == at {
					here = verb + " " + resource
					_ = self.Signal(os.Interrupt)
					time.Sleep(meanwhile) // so that the signal is there before the answer; it may be there anyway
				}
				return 0
			})
			args := []string{"check", "-f", "-", "--kubeconfig", n.Kubeconfig(), "-n", "shop"}
			if meanwhile > 0 {
				args = append(args, "-o", "json")
			}
			r := call(strings.NewReader(newWeb), args...)
			n.Refuse(nil)
			if left := n.left(); len(left) > 0 {
				t.Fatalf("a signal at request %d, %s, has left %v: %+v", at, here, left, r)
			}
			if requests < at {
				last = at // this run had fewer requests, and no signal
			}
			if r.code == 130 {
				stopped++
				if meanwhile > 0 && r.document(t).Code == 130 {
					r.stdout = ""
				}
				if r.stdout != "" || r.stderr != "" {
					t.Errorf("a signal at request %d, %s: got %+v", at, here, r)
				}
			} else if r.code != 0 { // the signal came after all was said
				t.Errorf("a signal at request %d, %s: got %+v", at, here, r)
			}
		}
		if meanwhile > 0 && stopped < 5 {
			t.Errorf("only %d runs were stopped", stopped)
		}
	}
}

// between is a way to the server on which answers to some requests are lost.
func between(t *testing.T, n *node, lose func(r *http.Request) bool) (kubeconfig string) {
	t.Helper()
	config, err := clientcmd.LoadFromFile(n.Kubeconfig())
	if err != nil {
		t.Fatal(err)
	}
	there, err := url.Parse(config.Clusters["scripted"].Server)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(there)
	proxy.ErrorLog = nil
	proxy.ModifyResponse = func(r *http.Response) error {
		if lose(r.Request) {
			return errors.New("lost")
		}
		return nil
	}
	proxy.ErrorHandler = func(http.ResponseWriter, *http.Request, error) { panic(http.ErrAbortHandler) }
	way := httptest.NewServer(proxy)
	t.Cleanup(way.Close)
	config.Clusters["scripted"].Server = way.URL
	kubeconfig = filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*config, kubeconfig); err != nil {
		t.Fatal(err)
	}
	return kubeconfig
}

// TestCheckLost: an answer that is lost leaves no copy: that of the creation, of deletions, and of a look.
func TestCheckLost(t *testing.T) {
	for name, c := range map[string]struct {
		method, path string
		times        int
		code         int
		stdout       string
	}{
		"creation": {http.MethodPost, "/pods", 1, 0, "TAKEN: "},
		"deletion": {http.MethodDelete, "", 2, 0, "TAKEN: "},
		"looks":    {http.MethodGet, "/confit-check-", 3, 0, "TAKEN: "},
	} {
		t.Run(name, func(t *testing.T) {
			n := newNode(t, tlsPod("web-0"))
			var lock sync.Mutex
			kubeconfig := between(t, n, func(r *http.Request) bool {
				lock.Lock()
				defer lock.Unlock()
				if c.times > 0 && r.Method == c.method && strings.Contains(r.URL.Path, c.path) {
					c.times--
					return true
				}
				return false
			})
			r := call(strings.NewReader(newWeb), "check", "-f", "-", "--kubeconfig", kubeconfig, "-n", "shop")
			if left := n.left(); r.code != c.code || !strings.Contains(r.stdout, c.stdout) || len(left) > 0 || c.times > 0 {
				t.Errorf("got %+v, with the copies %v", r, left)
			}
		})
	}
}

// TestCheckLate: a creation that comes after the copy's deletion was asked for is found, too.
func TestCheckLate(t *testing.T) {
	n := newNode(t, tlsPod("web-0"))
	looks := 0
	n.Refuse(func(verb, resource, _ string) int {
		if verb == "create" && resource == "pods" {
			return 504
		}
		if verb == "delete" && resource == "pods" {
			looks++
		}
		return 0
	})
	r := call(strings.NewReader(newWeb), "check", "-f", "-", "--timeout", "1s", "--kubeconfig", n.Kubeconfig(), "-n", "shop")
	if r.code != 1 || looks < 2 || r.stderr != "" {
		t.Errorf("got %+v after %d deletions", r, looks)
	}
}

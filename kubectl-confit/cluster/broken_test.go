package cluster_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"strings"
	"sync"
	"testing"

	"confit/kubectl-confit/cluster"
)

// TestBroken: whichever way a connection ends while a write is on it, the server counts as away: nobody knows whether the write has
// happened. The library has other words for each way, and for each moment in it.
func TestBroken(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1": false, "HTTP/2": true} {
		for way, end := range map[string]func(*httptest.Server, http.ResponseWriter){
			"aborted": func(*httptest.Server, http.ResponseWriter) { panic(http.ErrAbortHandler) },
			"killed":  func(s *httptest.Server, _ http.ResponseWriter) { go s.CloseClientConnections() },
			"stopped": func(s *httptest.Server, _ http.ResponseWriter) {
				ended, end := context.WithCancel(context.Background())
				end()
				_ = s.Config.Shutdown(ended) // says goodbye by HTTP/2
				go s.CloseClientConnections()
			},
			"reset": func(_ *httptest.Server, w http.ResponseWriter) {
				c, _, err := http.NewResponseController(w).Hijack()
				if err != nil {
					panic(http.ErrAbortHandler) // HTTP/2 has no such thing
				}
				_ = c.(interface{ NetConn() net.Conn }).NetConn().(*net.TCPConn).SetLinger(0) // tcp(7)
				_ = c.Close()
			},
		} {
			t.Run(name+" "+way, func(t *testing.T) {
				var s *httptest.Server
				told := make(chan struct{}) // the client knows
				s = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method == http.MethodPost {
						end(s, w)
						<-told
					}
				}))
				s.EnableHTTP2 = http2
				s.StartTLS()
				defer s.Close()
				defer close(told)
				wantAway(t, s.Client(), s.URL)
			})
		}
	}
}

// wantAway sends a write on a connection that was used before.
func wantAway(t *testing.T, c *http.Client, url string) {
	t.Helper()
	answer, err := c.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, answer.Body)
	_ = answer.Body.Close()
	answer, err = c.Post(url, "text/plain", strings.NewReader("text"))
	if err == nil {
		_ = answer.Body.Close()
	}
	if !cluster.IsAway(err) {
		t.Errorf("the server isn't away: %v", err)
	}
}

// TestBroken_idle: the server closes a connection just when a write has got it.
func TestBroken_idle(t *testing.T) {
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer s.Close()
	c := s.Client()
	var last *ending
	transport := c.Transport.(*http.Transport)
	transport.DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		last = &ending{Conn: conn, over: make(chan struct{}), closed: make(chan struct{})}
		return last, err
	}
	c.Transport = hooked{transport, func() {
		close(last.over)
		_ = last.Conn.Close()
		<-last.closed
	}}
	wantAway(t, c, s.URL)
}

// hooked calls a function when a request has got a connection that was used before.
type hooked struct {
	http.RoundTripper
	got func()
}

func (h hooked) RoundTrip(r *http.Request) (*http.Response, error) {
	return h.RoundTripper.RoundTrip(r.WithContext(httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) {
		if i.Reused {
			h.got()
		}
	}})))
}

// ending is a connection that ends when it is over.
type ending struct {
	net.Conn
	over, closed chan struct{}
	once         sync.Once
}

func (e *ending) Read(p []byte) (int, error) {
	n, err := e.Conn.Read(p)
	select {
	case <-e.over:
		return 0, io.EOF // as if the other side had closed it
	default:
		return n, err
	}
}

func (e *ending) Close() error {
	e.once.Do(func() { close(e.closed) })
	return e.Conn.Close()
}

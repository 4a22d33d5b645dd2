package post

import (
	"context"
	"encoding/pem"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// to is a request to a server that answers with these statuses, one after the
// other, the last again and again.
func to(t *testing.T, statuses ...int) (*Request, *atomic.Int32) {
	var n atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		i := min(int(n.Add(1)), len(statuses)) - 1
		http.Error(w, "said the app", statuses[i])
	}))
	t.Cleanup(server.Close)
	return request(t, server.URL), &n
}

func request(t *testing.T, url string) *Request {
	expect, err := ParseStatuses("2xx")
	if err != nil {
		t.Fatal(err)
	}
	return &Request{Method: "POST", URL: url, Expect: expect, Timeout: 30 * time.Second, Tries: 4, firstPause: time.Millisecond}
}

func TestStatuses(t *testing.T) {
	for _, tt := range []struct {
		answers []int
		expect  string
		tries   int32
		err     string
	}{
		{[]int{200}, "2xx", 1, ""},
		{[]int{204}, "200,204", 1, ""},
		{[]int{503, 429, 500, 200}, "2xx", 4, ""},
		{[]int{503}, "2xx", 4, "answered 503 Service Unavailable, 2xx is expected: said the app; tried 4 of 4 times"},
		{[]int{400}, "2xx", 1, "answered 400 Bad Request, 2xx is expected: said the app; tried 1 of 4 times"},
		{[]int{302}, "2xx", 1, "answered 302 Found"},
		{[]int{200}, "202", 1, "answered 200 OK, 202 is expected"},
	} {
		r, tries := to(t, tt.answers...)
		var err error
		if r.Expect, err = ParseStatuses(tt.expect); err != nil {
			t.Fatal(err)
		}
		err = r.Send(t.Context())
		if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) || tries.Load() != tt.tries {
			t.Errorf("%v: %d tries, %v", tt.answers, tries.Load(), err)
		}
	}
	for _, text := range []string{"", "9xx", "99", "200,", "x"} {
		if _, err := ParseStatuses(text); err == nil {
			t.Errorf("%q was read", text)
		}
	}
}

// TestUnix: an app that begins to listen later, on a socket, with a token that
// is read anew.
func TestUnix(t *testing.T) {
	dir := t.TempDir()
	socket, token := filepath.Join(dir, "s"), filepath.Join(dir, "token")
	if err := os.WriteFile(token, []byte("abc\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	r := request(t, "http://app/reload")
	r.Unix, r.TokenFile, r.Body, r.Tries = socket, token, []byte("body"), 1000
	r.Header = http.Header{"Content-Type": {"text/plain"}}
	sent := make(chan error)
	go func() { sent <- r.Send(t.Context()) }()
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	got := make(chan string, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		got <- strings.Join([]string{r.Method, r.Host, r.URL.Path, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), string(body)}, " ")
	})}
	go func() { _ = server.Serve(l) }()
	t.Cleanup(func() { _ = server.Close() })
	if err := <-sent; err != nil {
		t.Fatal(err)
	}
	if want := "POST app /reload Bearer abc text/plain body"; want != <-got {
		t.Errorf("want %s", want)
	}
}

// TestEnds: with the context, and each try with its timeout.
func TestEnds(t *testing.T) {
	hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client is gone
		<-r.Context().Done()
	}))
	defer hang.Close()
	r := request(t, hang.URL)
	r.Timeout, r.Tries = 10*time.Millisecond, 2
	if err := r.Send(t.Context()); err == nil || !strings.Contains(err.Error(), "tried 2 of 2 times") {
		t.Errorf("got %v", err)
	}
	r.Timeout, r.Tries, r.firstPause = time.Hour, 2, time.Hour
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(stop)
	if err := r.Send(ctx); !errors.Is(err, stop) {
		t.Errorf("got %v", err)
	}
}

// TestSecrets: neither a password nor the query of the URL is printed.
func TestSecrets(t *testing.T) {
	answers, _ := to(t, 400)
	for _, url := range []string{
		"http://me:hidden@127.0.0.1:1/", "http://me:hidden@127.0.0.1:1/%zz", "http://127.0.0.1:1/a?key=hidden#hidden",
		"http://127.0.0.1:hidden/", "http://127.0.0.1:1/%zz?key=hidden", answers.URL + "/a?key=hidden",
	} {
		r := request(t, url)
		r.Tries = 1
		if err := r.Send(t.Context()); err == nil || strings.Contains(err.Error(), "hidden") {
			t.Errorf("got %v", err)
		}
	}
	r := request(t, answers.URL+"/a?key=hidden")
	if err := r.Send(t.Context()); err == nil || !strings.Contains(err.Error(), "/a?… answered 400") {
		t.Errorf("got %v", err)
	}
}

// throughProxy counts what it is asked. The library reads the environment once in a process, so it lives as long.
var throughProxy atomic.Int32

var proxy = sync.OnceValue(func() *httptest.Server {
	return httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { throughProxy.Add(1) }))
})

// TestProxy: a token goes to a proxy only if that is wanted.
func TestProxy(t *testing.T) {
	// The library never takes a proxy for this machine.
	t.Setenv("HTTP_PROXY", proxy().URL)
	t.Setenv("NO_PROXY", "")
	for _, through := range []bool{false, true} {
		r, before := request(t, "http://app.invalid/"), throughProxy.Load()
		r.Tries, r.Proxy = 1, through
		err := r.Send(t.Context())
		if asked := throughProxy.Load() - before; (err == nil) != through || asked != map[bool]int32{true: 1}[through] {
			t.Errorf("--proxy=%v: the proxy was asked %d times, %v", through, asked, err)
		}
	}
}

// TestToken: one that no header can hold is not tried, nor printed.
func TestToken(t *testing.T) {
	r, tries := to(t, 200)
	r.TokenFile = filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(r.TokenFile, []byte("hid\nden"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := r.Send(t.Context()); err == nil || tries.Load() != 0 || !strings.Contains(err.Error(), "tried 1 of 4") || strings.Contains(err.Error(), "den") {
		t.Errorf("%d tries, %v", tries.Load(), err)
	}
}

// TestTooLate: what lies behind the deadline isn't waited for, and the answer
// that was there is told.
func TestTooLate(t *testing.T) {
	for _, after := range []string{"86400", "99999999999999999"} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", after)
			http.Error(w, "said the app", http.StatusServiceUnavailable)
		}))
		defer server.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		err := request(t, server.URL).Send(ctx)
		if err == nil || !strings.Contains(err.Error(), "answered 503 Service Unavailable, 2xx is expected: said the app; tried 1 of 4 times; the next try would be in ") {
			t.Errorf("got %v", err)
		}
	}
}

// TestLastAnswer: whoever is stopped in the next try tells it, too.
func TestLastAnswer(t *testing.T) {
	stop := errors.New("stop")
	ctx, cancel := context.WithCancelCause(t.Context())
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if asked.Add(1) == 1 {
			http.Error(w, "said the app", http.StatusServiceUnavailable)
			return
		}
		cancel(stop)
		_, _ = io.Copy(io.Discard, r.Body) // only then the server sees that the client is gone
		<-r.Context().Done()
	}))
	defer server.Close()
	if err := request(t, server.URL).Send(ctx); !errors.Is(err, stop) || !strings.Contains(err.Error(), "said the app; tried 1 of 4 times; stop") {
		t.Errorf("got %v", err)
	}
}

// TestTLS: the app's own CA.
func TestTLS(t *testing.T) {
	server := httptest.NewTLSServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}))
	defer server.Close()
	r := request(t, server.URL)
	r.Tries = 1
	if err := r.Send(t.Context()); err == nil {
		t.Error("a certificate of an unknown CA was taken")
	}
	r.CA = filepath.Join(t.TempDir(), "ca")
	for text, want := range map[string]string{"": "has no PEM certificate", "-": ""} {
		if text == "-" {
			text = pemOf(server)
		}
		if err := os.WriteFile(r.CA, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := r.Send(t.Context()); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
}

func pemOf(server *httptest.Server) string {
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: server.Certificate().Raw}))
}

// TestRetryAfter: the app is left alone for as long as it asks, in seconds or by
// a date (RFC 9110, 10.2.3).
func TestRetryAfter(t *testing.T) {
	for name, header := range map[string]func() string{
		"seconds": func() string { return "1" },
		"date":    func() string { return time.Now().Add(3 * time.Second).UTC().Format(http.TimeFormat) }, // which has no fractions
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked time.Time
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if asked.IsZero() {
					asked = time.Now()
					w.Header().Set("Retry-After", header())
					w.WriteHeader(http.StatusServiceUnavailable)
				}
			}))
			defer server.Close()
			if err := request(t, server.URL).Send(t.Context()); err != nil {
				t.Error(err)
			}
			if since := time.Since(asked); since < time.Second {
				t.Errorf("asked again after %v", since)
			}
		})
	}
}

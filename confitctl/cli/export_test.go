package cli

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"
)

// listener is a server with some limits, until the test ends.
func (m limits) listener(t *testing.T) (address string, stop func() error) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- m.serve(ctx, l, http.NotFoundHandler()) }()
	t.Cleanup(cancel)
	return l.Addr().String(), func() error { cancel(); return <-ended }
}

// connect sends something, and waits a minute at most for what comes back.
func connect(t *testing.T, address, text string) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.SetDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	_, _ = io.WriteString(c, text) // who has closed it already is seen by whoever reads
	return c
}

// TestServe: the exporter answers until it is stopped, which is no failure.
func TestServe(t *testing.T) {
	address, stop := usual.listener(t)
	response, err := http.Get("http://" + address)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	if err := stop(); err != nil {
		t.Error(err)
	}
}

// TestSilence: whoever sends nothing more is cut off, wherever that is.
func TestSilence(t *testing.T) {
	for _, m := range []limits{usual} {
		if max(m.head, m.whole, m.answer, m.idle) > time.Minute || min(m.head, m.whole, m.answer, m.idle) <= 0 || m.connections <= 0 {
			t.Errorf("%+v isn't within a minute", m)
		}
	}
	const short = 50 * time.Millisecond
	address, _ := limits{short, short, time.Minute, short, 10}.listener(t)
	for name, text := range map[string]string{
		"nothing":       "",
		"half a header": "GET / HTTP/1.1\r\nHost: ",
		"half a body":   "GET / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nabc",
		"one request":   "GET / HTTP/1.1\r\nHost: a\r\n\r\n",
	} {
		if _, err := io.Copy(io.Discard, connect(t, address, text)); errors.Is(err, os.ErrDeadlineExceeded) {
			t.Errorf("%s: the connection is still there", name)
		}
	}
}

// TestConnections: only so many are served, and the next when one of them ends.
func TestConnections(t *testing.T) {
	const request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
	address, _ := limits{connections: 2}.listener(t)
	first := connect(t, address, request)
	for _, c := range []net.Conn{first, connect(t, address, request)} {
		if _, err := http.ReadResponse(bufio.NewReader(c), nil); err != nil {
			t.Fatal(err)
		}
	}
	third := connect(t, address, request)
	if err := third.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if _, err := third.Read(make([]byte, 1)); err == nil {
		t.Error("a third connection was served")
	}
	first.Close()
	if err := third.SetReadDeadline(time.Now().Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	if _, err := http.ReadResponse(bufio.NewReader(third), nil); err != nil {
		t.Errorf("the third connection isn't served: %v", err)
	}
}

// Package post sends one HTTP request, for apps that reload when they are asked
// to.
//
// It guarantees that it returns nil only if the answer had a status that was
// wanted, and that what may pass by itself, such as an app that doesn't listen
// yet, is tried again. It follows no redirect: a token goes where it was sent.
package post

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"
)

// Request is what is sent, and how often.
type Request struct {
	Method    string
	URL       string
	Header    http.Header
	Body      []byte
	Unix      string        // socket; "": the URL's host
	TokenFile string        // bearer token, read for each try as it may be rotated; "": none
	CA        string        // file; "": the system's
	Expect    Statuses      //
	Timeout   time.Duration // of one try
	Tries     int           // at least 1

	firstPause time.Duration // 200 ms if 0
}

const (
	firstPause = 200 * time.Millisecond
	maxPause   = 5 * time.Second
	maxAnswer  = 4 << 10 // bytes of the answer that an error quotes
)

// Send tries until the answer is as expected, what it was can't pass by itself,
// or the tries or the context end.
func (r *Request) Send(ctx context.Context) error {
	client, err := r.client()
	if err != nil {
		return err
	}
	pause := max(r.firstPause, time.Millisecond)
	if r.firstPause == 0 {
		pause = firstPause
	}
	for try := 1; ; try++ {
		again, after, err := r.once(ctx, client)
		if err == nil {
			return nil
		}
		if !again || try >= r.Tries {
			return fmt.Errorf("cannot %s: %w; tried %d of %d times", strings.ToLower(r.Method), err, try, max(1, r.Tries))
		}
		select {
		case <-ctx.Done():
			return errors.Join(context.Cause(ctx), err)
		case <-time.After(max(after, pause/2+rand.N(pause))):
		}
		pause = min(2*pause, maxPause)
	}
}

// client speaks to the socket if there is one, whatever the host.
func (r *Request) client() (*http.Client, error) {
	transport := &http.Transport{Proxy: http.ProxyFromEnvironment}
	if r.Unix != "" {
		transport.Proxy = nil
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", r.Unix)
		}
	}
	if r.CA != "" {
		pem, err := os.ReadFile(r.CA)
		if err != nil {
			return nil, fmt.Errorf("cannot read the CA: %w", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("cannot read the CA: %q has no PEM certificate", r.CA)
		}
		transport.TLSClientConfig = &tls.Config{RootCAs: pool}
	}
	return &http.Client{
		Transport: transport, Timeout: r.Timeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}, nil
}

// once says whether an error may pass by itself, and when at the earliest.
func (r *Request) once(ctx context.Context, client *http.Client) (again bool, after time.Duration, err error) {
	request, err := r.request(ctx)
	if err != nil {
		return false, 0, err
	}
	response, err := client.Do(request)
	if err != nil {
		return true, 0, redact(err)
	}
	defer response.Body.Close()
	if r.Expect.contain(response.StatusCode) {
		return false, 0, nil
	}
	text, _ := io.ReadAll(io.LimitReader(response.Body, maxAnswer))
	err = fmt.Errorf("%s answered %s, %s is expected: %s", request.URL.Redacted(), response.Status, r.Expect, bytes.TrimSpace(text))
	again = response.StatusCode >= 500 || response.StatusCode == http.StatusTooManyRequests
	return again, retryAfter(response.Header), err
}

// retryAfter is how long the app wants to be left alone. It says that in seconds
// or by a date: RFC 9110, 10.2.3.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(text)
	if err != nil {
		return 0
	}
	return time.Until(at)
}

func (r *Request) request(ctx context.Context) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, r.Method, r.URL, bytes.NewReader(r.Body))
	if err != nil {
		return nil, redact(err)
	}
	request.Header = r.Header.Clone()
	if request.Header == nil {
		request.Header = http.Header{}
	}
	if host := request.Header.Get("Host"); host != "" {
		request.Host = host
	}
	if r.TokenFile != "" {
		token, err := os.ReadFile(r.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("cannot read the token: %w", err)
		}
		request.Header.Set("Authorization", "Bearer "+strings.TrimSpace(string(token)))
	}
	return request, nil
}

// redact keeps a password in the URL out of an error.
func redact(err error) error {
	u, ok := errors.AsType[*url.Error](err)
	if !ok {
		return err
	}
	parsed, bad := url.Parse(u.URL)
	if bad != nil {
		return fmt.Errorf("the URL can't be read: %w", u.Err)
	}
	return fmt.Errorf("%s: %w", parsed.Redacted(), u.Err)
}

// Package post sends one HTTP request, for apps that reload when they are asked
// to.
//
// It guarantees that it returns nil only if the answer had a status that was
// wanted, and that what may pass by itself, such as an app that doesn't listen
// yet, is tried again. It follows no redirect, and uses no proxy unless it is
// told to: a token goes where it was sent. No error has a password or the query
// of the URL.
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

	"golang.org/x/net/http/httpguts"
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
	Proxy     bool          // use that of HTTP_PROXY, HTTPS_PROXY and NO_PROXY
	Expect    Statuses      //
	Timeout   time.Duration // of one try
	Tries     int           // at least 1

	firstPause time.Duration // 200 ms if 0
}

const (
	firstPause = 200 * time.Millisecond
	maxPause   = 5 * time.Second
	maxAfter   = 1 << 30 // seconds that an app may ask for, so that they are a duration
	maxAnswer  = 4 << 10 // bytes of the answer that an error quotes
)

// Send tries until the answer is as expected, what it was can't pass by itself,
// or the tries or the context end. It doesn't wait for what lies behind the
// context's deadline. Its error has the last answer.
func (r *Request) Send(ctx context.Context) error {
	client, err := r.client()
	if err != nil {
		return err
	}
	pause := max(r.firstPause, time.Millisecond)
	if r.firstPause == 0 {
		pause = firstPause
	}
	var last error
	for try := 1; ; try++ {
		again, after, err := r.once(ctx, client)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil && last != nil: // the try that was cut off says less
			return r.failed(try-1, last, "%w", context.Cause(ctx))
		case !again || try >= r.Tries || ctx.Err() != nil:
			return r.failed(try, err, "")
		}
		last = err
		wait := max(after, pause/2+rand.N(pause))
		if end, ok := ctx.Deadline(); ok && wait > time.Until(end) {
			return r.failed(try, err, "the next try would be in %s, which is too late", wait.Round(time.Second))
		}
		select {
		case <-ctx.Done():
			return r.failed(try, err, "%w", context.Cause(ctx))
		case <-time.After(wait):
		}
		pause = min(2*pause, maxPause)
	}
}

// failed says what the last answer was, how often it was tried and, if that
// isn't clear from both, why not again.
func (r *Request) failed(tries int, last error, why string, args ...any) error {
	err := fmt.Errorf("cannot %s: %w; tried %d of %d times", strings.ToLower(r.Method), last, tries, max(1, r.Tries))
	if why == "" {
		return err
	}
	return fmt.Errorf("%w; "+why, append([]any{err}, args...)...)
}

// client speaks to the socket if there is one, whatever the host.
func (r *Request) client() (*http.Client, error) {
	transport := &http.Transport{}
	if r.Proxy {
		transport.Proxy = http.ProxyFromEnvironment
	}
	if r.Unix != "" {
		transport.Proxy = nil
		transport.DialContext = func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", r.Unix)
		}
	}
	if r.CA != "" {
		pem, err := os.ReadFile(r.CA)
		if err != nil {
			return nil, fmt.Errorf("cannot read the CA: %w; name a file with --ca", err)
		}
		pool := x509.NewCertPool()
		if !pool.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("cannot read the CA: %q has no PEM certificate; name a file with --ca", r.CA)
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
	err = fmt.Errorf("%s answered %s, %s is expected: %s", shown(request.URL), response.Status, r.Expect, bytes.TrimSpace(text))
	again = response.StatusCode >= 500 || response.StatusCode == http.StatusTooManyRequests
	return again, retryAfter(response.Header), err
}

// retryAfter is how long the app wants to be left alone. It says that in seconds
// or by a date: RFC 9110, 10.2.3.
func retryAfter(h http.Header) time.Duration {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil {
		return time.Duration(min(seconds, maxAfter)) * time.Second
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
			return nil, fmt.Errorf("cannot read the token: %w; name a file with --token-file", err)
		}
		bearer := "Bearer " + strings.TrimSpace(string(token))
		if !httpguts.ValidHeaderFieldValue(bearer) {
			return nil, errors.New("cannot use the token: a header can't have line ends or control characters")
		}
		request.Header.Set("Authorization", bearer)
	}
	return request, nil
}

// redact keeps a password and the query in the URL out of an error.
func redact(err error) error {
	u, ok := errors.AsType[*url.Error](err)
	if !ok {
		return err
	}
	parsed, bad := url.Parse(u.URL)
	if bad != nil {
		return errors.New("the URL can't be read") // why quotes it
	}
	return fmt.Errorf("%s: %w", shown(parsed), u.Err)
}

// shown is a URL without what may be secret.
func shown(u *url.URL) string {
	short := *u
	short.Fragment, short.RawFragment = "", ""
	if short.RawQuery != "" {
		short.RawQuery = "…"
	}
	return short.Redacted()
}

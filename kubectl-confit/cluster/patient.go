package cluster

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"regexp"
	"strconv"
	"sync/atomic"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
)

// Pauses are those between two tries.
var Pauses = wait.Backoff{Duration: time.Second / 4, Factor: 2, Jitter: 0.2, Steps: 8, Cap: 4 * time.Second}

// patient is a transport that asks again while the API server is away. A write that may have happened isn't sent again: its
// error is the caller's.
type patient struct {
	next   http.RoundTripper
	outage *outage
	most   time.Duration // that one try may take until it is answered; 0: any
}

// RoundTrip ends with an answer, when the request's context does, or when the outage has lasted for the verb's patience.
func (p *patient) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Body != nil {
		defer r.Body.Close()
	}
	pauses, first := Pauses, time.Time{}
	for {
		answer, sent, err := p.try(r)
		away, cause := p.judge(r, answer, err)
		again := cause != nil && mayRepeat(r, answer, sent)
		if again && first.IsZero() {
			first = time.Now()
			p.outage.begin()
			defer p.outage.end()
		}
		if away {
			p.outage.failed(r.Context(), cause, again)
		}
		if !again {
			return answer, err
		}
		rest := max(pauses.Step(), retryAfter(answer))
		over := p.outage.isOver(first, rest)
		if answer != nil && over {
			answer.Header.Del("Retry-After") // client-go would be patient, too
		} else if answer != nil {
			answer.Body.Close()
		}
		if over {
			return answer, err
		}
		select {
		case <-time.After(rest):
		case <-r.Context().Done():
			if errors.Is(r.Context().Err(), context.Canceled) {
				cause = r.Context().Err()
			}
			return nil, cause
		}
	}
}

// try sends a request once, and says whether it may have arrived. What isn't a stream is read to its end.
func (p *patient) try(r *http.Request) (answer *http.Response, sent bool, err error) {
	var connected atomic.Bool
	ctx := httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { connected.Store(true) }})
	begun := time.Now()
	mute := time.AfterFunc(silence, func() {
		if !connected.Load() {
			p.outage.mute(r.Context(), begun)
		}
	})
	defer mute.Stop()
	if p.most > 0 {
		timed, end := context.WithCancelCause(ctx)
		timer := time.AfterFunc(p.most, func() { end(errSlow) })
		defer timer.Stop()
		ctx = timed
	}
	once := r.Clone(ctx)
	if r.GetBody != nil {
		if once.Body, err = r.GetBody(); err != nil {
			return nil, false, err
		}
	}
	answer, err = p.next.RoundTrip(once)
	if err == nil && isSafe(r) && !isStream(r) {
		var body []byte
		body, err = io.ReadAll(answer.Body)
		answer.Body.Close()
		answer.Body = io.NopCloser(bytes.NewReader(body))
	}
	if err != nil {
		answer = nil
		if context.Cause(ctx) == errSlow { //nolint:errorlint // just this one
			err = errSlow
		}
		if !connected.Load() {
			err = &unsent{err}
		}
	}
	return answer, connected.Load(), err
}

// unsent is why a request never left.
type unsent struct{ error }

func (u *unsent) Unwrap() error { return u.error }

// IsUnsent reports that a request has not happened, as it was never sent.
func IsUnsent(err error) bool {
	var u *unsent
	return errors.As(err, &u)
}

// judge is why a request has to be sent again; nil: it hasn't. away says that the server is, and not only its authorizer.
func (p *patient) judge(r *http.Request, answer *http.Response, err error) (away bool, cause error) {
	switch {
	case answer != nil && (isAwayCode(answer) || isBrokenRead(r, answer)) && !aGroup.MatchString(r.URL.Path):
		return true, awayError(answer.Status)
	case answer != nil:
		p.outage.answered()
		denied := answer.StatusCode == http.StatusUnauthorized || answer.StatusCode == http.StatusForbidden
		if denied && p.outage.isRecent() {
			return false, awayError(answer.Status)
		}
	case r.Context().Err() == nil && IsAway(err):
		return true, err
	}
	return false, nil
}

// aGroup is the path of what an API group has. One that another server brings may be away for ever, and nobody misses it.
var aGroup = regexp.MustCompile(`/apis/[^/]+/[^/]+$`)

// isAwayCode reports that the server, or what stands before it, says that it can't answer now.
func isAwayCode(answer *http.Response) bool {
	switch answer.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return true
	}
	return answer.StatusCode >= 500 && retryAfter(answer) > 0
}

// isBrokenRead reports that something behind the server has failed it, such as its etcd: a read may be answered later. What has refused a
// write, such as a webhook, may refuse it for ever.
func isBrokenRead(r *http.Request, answer *http.Response) bool {
	return r.Method == http.MethodGet && answer.StatusCode == http.StatusInternalServerError
}

// mayRepeat reports that a request which was sent again doesn't happen twice. So that client-go doesn't repeat it either, an answer
// that leaves this open doesn't ask for that.
func mayRepeat(r *http.Request, answer *http.Response, sent bool) bool {
	switch {
	case r.Body != nil && r.GetBody == nil:
		return false
	case isSafe(r), !sent, answer != nil && answer.StatusCode < 500:
		return true
	}
	if answer != nil {
		answer.Header.Del("Retry-After")
	}
	return false
}

// isSafe reports that a request changes nothing.
func isSafe(r *http.Request) bool {
	return r.Method == http.MethodGet || r.URL.Query().Get("dryRun") != ""
}

// isStream reports that an answer has no end of its own.
func isStream(r *http.Request) bool { return r.URL.Query().Get("watch") != "" }

// retryAfter is for how long the server wants to be left alone.
func retryAfter(answer *http.Response) time.Duration {
	if answer == nil {
		return 0
	}
	seconds, _ := strconv.Atoi(answer.Header.Get("Retry-After")) // a date is as good as none: the pauses are
	return time.Duration(seconds) * time.Second
}

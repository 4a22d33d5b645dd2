package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/gorilla/websocket"
	api "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// Patience is what a verb has with an API server that is away. The zero value has none: the first error counts.
type Patience struct {
	For time.Duration     // that an outage may last; 0: any. A request ends with its context, too
	Say func(line string) // is told once that the server doesn't answer, and once that it does again, from any goroutine
}

// After an outage that is told authorizers and webhooks may not be ready, and say no to everybody.
const (
	silence = 2 * time.Second
	unready = 15 * time.Second
)

// outage is when the API server was away, for all requests of a program.
type outage struct {
	Patience
	lock  sync.Mutex
	since time.Time // zero: it isn't away
	last  time.Time // when a request failed
	lost  time.Duration
	timer *time.Timer // says it
	said  bool
}

// failed notes that a request had no answer.
func (o *outage) failed(ctx context.Context, cause error) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.last = time.Now()
	if !o.since.IsZero() {
		return
	}
	o.since = o.last
	text := fmt.Sprintf("The API server doesn't answer: %v; trying again", &problem{cause})
	if until := o.until(ctx); !until.IsZero() {
		text += until.Format(" until 15:04:05")
	}
	o.timer = time.AfterFunc(silence, func() { o.say(text) })
}

// until is when patience ends; zero: never.
func (o *outage) until(ctx context.Context) time.Time {
	until, bounded := ctx.Deadline()
	if end := o.since.Add(o.For); o.For > 0 && (!bounded || end.Before(until)) {
		return end
	}
	return until
}

func (o *outage) say(text string) {
	o.lock.Lock()
	defer o.lock.Unlock()
	if !o.since.IsZero() && !o.said {
		o.said = true
		o.Say(text)
	}
}

// answered notes that the server is there.
func (o *outage) answered() {
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.since.IsZero() {
		return
	}
	o.timer.Stop()
	o.lost += time.Since(o.since)
	o.since = time.Time{}
	if o.said {
		o.said = false
		o.Say("The API server answers again")
	}
}

// isOver reports that patience ends before another try, for a request that has failed first at that time.
func (o *outage) isOver(first time.Time, rest time.Duration) bool {
	o.lock.Lock()
	defer o.lock.Unlock()
	if !o.since.IsZero() && o.since.Before(first) {
		first = o.since
	}
	return o.For > 0 && time.Since(first)+rest > o.For
}

// isRecent reports that the server was away a moment ago, or is.
func (o *outage) isRecent() bool { return o.failedSince(time.Now().Add(-unready)) }

func (o *outage) failedSince(since time.Time) bool {
	o.lock.Lock()
	defer o.lock.Unlock()
	return o.last.After(since)
}

// Lost is for how long the API server was away so far.
func (c *Client) Lost() time.Duration {
	o := c.outage
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.since.IsZero() {
		return o.lost
	}
	return o.lost + time.Since(o.since)
}

// IsAway reports that the API server is.
func (c *Client) IsAway() bool {
	c.outage.lock.Lock()
	defer c.outage.lock.Unlock()
	return !c.outage.since.IsZero()
}

// WasAway reports, after something has failed that began at a time, that the API server was away. It returns when the server
// answers, or patience ends: then the error isn't nil.
func (c *Client) WasAway(ctx context.Context, since time.Time) (bool, error) {
	if c.outage.Say == nil {
		return false, nil
	}
	err := c.core.RESTClient().Get().AbsPath("/version").Do(ctx).Error()
	if !IsAway(err) {
		err = ctx.Err() // a refusal is an answer
	}
	return c.outage.failedSince(since), err
}

// errSlow is the error of a request that isn't answered in time.
var errSlow = awayError("it is not answered within --request-timeout")

// awayError is why the server seems to be away.
type awayError string

func (e awayError) Error() string { return string(e) }

// IsAway reports that an error is one of an API server that is away. Whether a request has happened nobody knows then.
func IsAway(err error) bool {
	var away awayError
	var name *net.DNSError
	var op *net.OpError
	var status api.APIStatus
	var closed *websocket.CloseError
	switch {
	case err == nil, errors.Is(err, context.Canceled):
		return false
	case errors.As(err, &name) && name.IsNotFound, errors.As(err, &op) && strings.HasSuffix(op.Op, "error"): // TLS says so
		return false
	case errors.As(err, &status):
		code := int(status.Status().Code)
		return code == http.StatusTooManyRequests || code >= http.StatusBadGateway && code <= http.StatusGatewayTimeout || api.IsServerTimeout(err)
	}
	return errors.As(err, &away) || errors.As(err, &closed) && closed.Code == websocket.CloseAbnormalClosure || errors.As(err, &op) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) ||
		utilnet.IsProbableEOF(err) || utilnet.IsHTTP2ConnectionLost(err) || isTimeout(err)
}

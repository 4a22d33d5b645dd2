package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
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
	unready = 15 * time.Second // no two failures of an outage are farther from each other
)

// outage is when the API server was away, for all requests of a program.
type outage struct {
	Patience
	lock   sync.Mutex
	asking int       // how many requests are sent again and again
	from   time.Time // when they began
	since  time.Time // the first without an answer; zero: there was one since then
	last   time.Time
	lost   time.Duration
	said   bool
}

// begin notes that a request is sent again until it is answered, and end that it isn't any more.
func (o *outage) begin() {
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.asking++; o.asking == 1 {
		o.from = time.Now()
	}
}

func (o *outage) end() {
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.asking--; o.asking == 0 {
		o.lost += time.Since(o.from)
	}
}

// failed notes that a request had no answer. Only one that is sent again shows how long that lasts.
func (o *outage) failed(ctx context.Context, cause error, again bool) {
	o.lock.Lock()
	defer o.lock.Unlock()
	former := o.last
	o.last = time.Now()
	if !again || !o.since.IsZero() && o.last.Sub(former) < unready {
		return
	}
	since := o.last
	o.since = since
	time.AfterFunc(silence, func() {
		o.lock.Lock()
		defer o.lock.Unlock()
		if o.since.Equal(since) && o.asking > 0 {
			o.say(ctx, since, cause)
		}
	})
}

// mute notes that a request has had no connection for so long that it is said.
func (o *outage) mute(ctx context.Context, since time.Time) {
	o.lock.Lock()
	defer o.lock.Unlock()
	o.say(ctx, since, errMute)
}

// say says it once, and until when there is patience.
func (o *outage) say(ctx context.Context, since time.Time, cause error) {
	if o.said {
		return
	}
	o.said = true
	until, bounded := ctx.Deadline()
	if end := since.Add(o.For); o.For > 0 && (!bounded || end.Before(until)) {
		until = end
	}
	text := fmt.Sprintf("The API server doesn't answer: %v; trying again", &problem{cause})
	if !until.IsZero() {
		text += until.Format(" until 15:04:05")
	}
	o.Say(text)
}

// answered notes that the server is there.
func (o *outage) answered() {
	o.lock.Lock()
	defer o.lock.Unlock()
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

// Lost is for how long requests were sent again and again so far.
func (c *Client) Lost() time.Duration {
	o := c.outage
	o.lock.Lock()
	defer o.lock.Unlock()
	if o.asking == 0 {
		return o.lost
	}
	return o.lost + time.Since(o.from)
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

// errSlow is the error of a request that isn't answered in time, and errMute of one that waits for its connection.
var (
	errSlow = awayError("it is not answered within --request-timeout")
	errMute = awayError("there is no connection")
)

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
		utilnet.IsProbableEOF(err) || utilnet.IsHTTP2ConnectionLost(err) || ended.MatchString(err.Error()) || isTimeout(err)
}

// IsBroken reports that something behind the server has failed it. Whether a write has happened nobody knows then.
func IsBroken(err error) bool {
	var status api.APIStatus
	return errors.As(err, &status) && status.Status().Code == http.StatusInternalServerError
}

// ended are connections and streams that the server has ended, in the words of net/http: it exports no such errors. A write that has met
// either of them may have arrived.
var ended = regexp.MustCompile(`http: server closed idle connection|stream error: stream ID \d+; \w+; received from peer`)

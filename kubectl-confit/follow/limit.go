package follow

import (
	"context"
	"errors"
	"sync"
	"time"

	"k8s.io/utils/clock"
)

// errOver is the cause of a context whose time is over.
var errOver = errors.New("the time is over")

// limit is a context that ends when a time is over, which may become longer.
type limit struct {
	context.Context
	clock clock.Clock
	timer clock.Timer
	lock  sync.Mutex
	over  time.Time // by the clock
	until time.Time // by the real one
}

// limited is the context of a wait: it ends when the time of the options is over, by their clock. Without a time there is no limit.
func (o *Options) limited(ctx context.Context) (context.Context, context.CancelCauseFunc, *limit) {
	ctx, end := context.WithCancelCause(ctx)
	if o.Timeout == 0 {
		return ctx, end, nil
	}
	l := &limit{Context: ctx, clock: o.Clock, over: o.Clock.Now().Add(o.Timeout), until: time.Now().Add(o.Timeout)}
	l.timer = o.Clock.NewTimer(o.Timeout)
	go func() {
		defer l.timer.Stop()
		select {
		case <-l.timer.C():
			end(errOver)
		case <-ctx.Done():
		}
	}()
	return l, end, l
}

// Deadline is for what is said of requests.
func (l *limit) Deadline() (time.Time, bool) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if outer, bounded := l.Context.Deadline(); bounded && outer.Before(l.until) {
		return outer, true
	}
	return l.until, true
}

// longer makes the time longer, unless it is over.
func (l *limit) longer(by time.Duration) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.over, l.until = l.over.Add(by), l.until.Add(by)
	l.timer.Reset(l.over.Sub(l.clock.Now()))
}

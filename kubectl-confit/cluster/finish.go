package cluster

import (
	"context"
	"time"
)

// Grace is what somebody waits for after ^C or TERM, if something has to be finished: a pipeline that is cancelled has seconds to end.
const Grace = 30 * time.Second

// Finish is a context for requests that aren't stopped half way, as nobody would know then what the server has done. It ends
// after that time, 0: never, and in any case Grace after the context that is given.
func Finish(ctx context.Context, most time.Duration) (context.Context, context.CancelFunc) {
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	if most > 0 {
		own, cancel = context.WithTimeout(context.WithoutCancel(ctx), most)
	}
	context.AfterFunc(ctx, func() { time.AfterFunc(Grace, cancel) })
	return own, cancel
}

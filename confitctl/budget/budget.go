// Package budget ends work that takes more time or memory than it may.
//
// It guarantees that a context ends soon after one of both is used up, with a
// cause that says which. Memory is that of the whole process; garbage is
// collected before it counts. The work itself has to look at its context.
//
// It doesn't guarantee a hard bound: what one operation takes at once is noticed
// when it has it.
package budget

import (
	"context"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// Budget is what some work may take.
type Budget struct {
	Time   time.Duration
	Memory uint64 // bytes
	Why    string // there is no more of it; "": somebody chose so
}

// look is the time between two looks. In it a processor fills some ten megabytes.
const look = 2 * time.Millisecond

// Start is a context for the work. The function that it returns ends it, and
// must be called.
func (b Budget) Start(ctx context.Context) (context.Context, func()) {
	ctx, timer := context.WithTimeoutCause(ctx, b.Time, fmt.Errorf("it takes longer than %s", b.Time))
	ctx, cancel := context.WithCancelCause(ctx)
	before := debug.SetMemoryLimit(int64(b.Memory - b.Memory/8)) // where the collector does what it can
	go b.watch(ctx, cancel)
	return ctx, func() {
		cancel(nil)
		timer()
		debug.SetMemoryLimit(before)
	}
}

func (b Budget) watch(ctx context.Context, cancel context.CancelCauseFunc) {
	t := time.NewTicker(look)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		if used() > b.Memory {
			cancel(fmt.Errorf("it needs more than %d MiB of memory%s", b.Memory>>20, b.Why))
		}
	}
}

// used is the memory that the process has from the kernel, without its program.
func used() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}

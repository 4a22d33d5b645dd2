package budget

import (
	"context"
	"runtime/debug"
	"strings"
	"testing"
	"time"
)

// TestTime: the cause says how long it might take.
func TestTime(t *testing.T) {
	ctx, stop := Budget{Time: time.Millisecond, Memory: 1 << 40}.Start(t.Context())
	defer stop()
	<-ctx.Done()
	if err := context.Cause(ctx); err == nil || err.Error() != "it takes longer than 1ms" {
		t.Errorf("got %v", err)
	}
}

// TestMemory: what is kept counts, and what is dropped doesn't.
func TestMemory(t *testing.T) {
	debug.FreeOSMemory()
	budget := Budget{Time: time.Hour, Memory: used() + 64<<20}
	before := debug.SetMemoryLimit(-1)
	ctx, stop := budget.Start(t.Context())
	for range 64 {
		garbage := make([]byte, 8<<20)
		garbage[0] = 1
		if ctx.Err() != nil {
			t.Fatalf("garbage counted: %v", context.Cause(ctx))
		}
	}
	var kept [][]byte
	for ctx.Err() == nil && len(kept) < 1<<10 {
		kept = append(kept, make([]byte, 1<<20))
		time.Sleep(look)
	}
	if err := context.Cause(ctx); err == nil || !strings.Contains(err.Error(), "it needs more than ") || len(kept) > 512 {
		t.Errorf("%d MiB: %v", len(kept), err)
	}
	stop()
	if after := debug.SetMemoryLimit(-1); after != before {
		t.Errorf("the limit was %d and is %d", before, after)
	}
}

// TestStop: to be done is no error of the work around.
func TestStop(t *testing.T) {
	ctx, stop := Budget{Time: time.Hour, Memory: 1 << 40}.Start(t.Context())
	stop()
	if err := ctx.Err(); err == nil || t.Context().Err() != nil {
		t.Errorf("got %v", err)
	}
}

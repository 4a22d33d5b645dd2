package budget

import (
	"context"
	"os"
	"path/filepath"
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

// TestRoom: a container's own files, of both versions of cgroups.
func TestRoom(t *testing.T) {
	const mib = 1 << 20
	for name, tt := range map[string]struct {
		files map[string]string
		room  uint64
		known bool
	}{
		"none":     {nil, 0, false},
		"no limit": {map[string]string{"memory.max": "max\n", "memory.current": "1048576\n"}, 0, false},
		"limit": {map[string]string{
			"memory.max": "67108864\n", "memory.current": "33554432\n", "memory.stat": "anon 5\ninactive_file 4194304\nactive_file 7\n",
		}, 36 * mib, true},
		"all cache": {map[string]string{"memory.max": "1048576\n", "memory.current": "1048576\n", "memory.stat": "inactive_file 99999999\n"}, mib, true},
		"over":      {map[string]string{"memory.max": "1048576\n", "memory.current": "2097152\n"}, 0, true},
		"garbage":   {map[string]string{"memory.max": "1048576\n", "memory.current": "x"}, 0, false},
		"version 1": {map[string]string{
			"memory/memory.limit_in_bytes": "67108864\n", "memory/memory.usage_in_bytes": "33554432\n", "memory/memory.stat": "total_inactive_file 4194304\n",
		}, 36 * mib, true},
		"version 1, no limit": {map[string]string{
			"memory/memory.limit_in_bytes": "9223372036854771712\n", "memory/memory.usage_in_bytes": "33554432\n",
		}, 0, false},
	} {
		dir := t.TempDir()
		for file, text := range tt.files {
			if err := os.MkdirAll(filepath.Dir(filepath.Join(dir, file)), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, file), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if room, known := Room(dir); room != tt.room || known != tt.known {
			t.Errorf("%s: got %d, %v; want %d, %v", name, room, known, tt.room, tt.known)
		}
	}
}

package process

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestHeadroom: a container's own files, of both versions of cgroups.
func TestHeadroom(t *testing.T) {
	const mib = 1 << 20
	for name, tt := range map[string]struct {
		files map[string]string
		room  int64
		known bool
	}{
		"none":     {nil, 0, false},
		"no limit": {map[string]string{"memory.max": "max\n", "memory.current": "1048576\n"}, 0, false},
		"limit": {map[string]string{
			"memory.max": "67108864\n", "memory.current": "33554432\n", "memory.stat": "anon 5\ninactive_file 4194304\nactive_file 7\n",
		}, 36 * mib, true},
		"all cache": {map[string]string{"memory.max": "1048576\n", "memory.current": "1048576\n", "memory.stat": "anon 0\ninactive_file 1048576\n"}, mib, true},
		"over":      {map[string]string{"memory.max": "1048576\n", "memory.current": "2097152\n"}, 0, true},
		"garbage":   {map[string]string{"memory.max": "1048576\n", "memory.current": "x"}, 0, false},
		"version 1": {map[string]string{
			"memory/memory.limit_in_bytes": "67108864\n", "memory/memory.usage_in_bytes": "33554432\n", "memory/memory.stat": "cache 5\ntotal_inactive_file 4194304\n",
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
		if room, known := Cgroup(dir + "/").Headroom(); room != tt.room || known != tt.known {
			t.Errorf("%s: got %d, %v; want %d, %v", name, room, known, tt.room, tt.known)
		}
	}
}

// TestOOMKills: a kill is news until the second look after it, and what was counted before is none.
func TestOOMKills(t *testing.T) {
	root, now := t.TempDir()+"/", time.Unix(1e9, 0)
	count := func(n int) {
		t.Helper()
		if err := os.WriteFile(root+"memory.events", fmt.Appendf(nil, "oom 9\noom_kill %d\noom_group_kill 0\n", n), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	count(3)
	k := Cgroup(root).CountOOMKills(now)
	want := func(what string, lately bool) {
		t.Helper()
		if k.Lately() != lately {
			t.Errorf("%s: %v", what, !lately)
		}
	}
	want("at the start", false)
	count(4)
	want("a kill", true)
	for range 15 {
		now = now.Add(time.Second)
		k.Look(now)
	}
	want("fifteen seconds later", true)
	for range 10 {
		now = now.Add(time.Second)
		k.Look(now)
	}
	want("ten more", false)
	count(5)
	now = now.Add(time.Hour) // nobody has looked
	k.Look(now)
	want("another one", true)
	k = Cgroup(root + "none/").CountOOMKills(now)
	want("without a counter", false)
}

package confit

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"confit/integration/internal/harness"
)

// countsKills gives a box a counter of what the kernel has killed, and returns what sets it.
func (s *setup) countsKills() (set func(n int)) {
	s.t.Helper()
	file := filepath.Join(s.mkdir("cgroup"), "memory.events")
	s.box.Mounts = append(s.box.Mounts, harness.Bind(s.path("cgroup"), "/sys/fs/cgroup"))
	set = func(n int) {
		s.t.Helper()
		if err := os.WriteFile(file, fmt.Appendf(nil, "oom_kill %d\n", n), 0o644); err != nil {
			s.t.Fatal(err)
		}
	}
	set(7) // of a former life
	return set
}

// oomKilled is said of an app that was killed just after the kernel has killed a process for want of memory: of one that the kernel chose,
// and of a shell that passes its child's code on. It isn't said of another end, or where the kernel has killed nothing since the app's start.
func TestMemory_killed(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script string
		kills  int
		code   int
		want   string
	}{
		"the app":             {"kill -KILL $$", 8, 137, "true"},
		"a shell's child":     {"sh -c 'kill -KILL $$'; exit $?", 8, 137, "true"},
		"by somebody":         {"kill -KILL $$", 7, 137, ""},
		"an end of its own":   {"exit 3", 8, 3, ""},
		"another signal's":    {"kill -SEGV $$", 8, 139, ""},
		"137 without a cause": {"exit 137", 7, 137, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newExit(t)
			set := s.countsKills()
			c := s.start("sh", "-c", fmt.Sprintf("echo ready; until [ -e %s ]; do sleep 0.02; done; %s", s.path("go"), tt.script))
			c.Says("ready", 1)
			c.logs("app started", 1)
			set(tt.kills)
			s.write(s.path("go"), "")
			c.Ends(tt.code)
			if e := c.logs("app exited", 1); e["oomKilled"] != tt.want {
				t.Errorf("oomKilled is %q, want %q", e["oomKilled"], tt.want)
			}
		})
	}
}

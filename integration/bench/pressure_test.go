//go:build check

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// withGroups skips where no cgroup can be made, as in most containers.
func withGroups(t *testing.T) *bench {
	dir, err := os.MkdirTemp("", "confit-bench-test-") // for a name that no other run has
	if err != nil {
		t.Fatal(err)
	}
	b := &bench{dir: dir}
	t.Cleanup(func() {
		if err := removeGroups(dir); err != nil {
			t.Error(err)
		}
		_ = os.Remove(dir)
	})
	if _, err := b.within(memoryLimit(64)); err != nil {
		t.Skipf("no limit can be set on this machine: %v", err)
	}
	return b
}

// Nothing is lost and nobody is left where confit is short of something. What comes late on a busy machine doesn't count here.
func TestPressure_one_round(t *testing.T) {
	withGroups(t)
	lossless := 0
	for _, r := range oneRound(t, "pressure").Rows {
		if r.Budget == "≤ 0" {
			lossless++
			if r.Ours != 0 {
				t.Errorf("%s: %v", r.Name, r.Ours)
			}
		}
	}
	if lossless < 6 { // beside the floor alone
		t.Errorf("%d figures say what is lost, want 6 at least", lossless)
	}
}

// What a process may not do in a cgroup, it may do in one with a higher limit.
func TestWithin(t *testing.T) {
	b := withGroups(t)
	const forks, fills = `read x; ls > /dev/null && echo done`, `read x; head -c 99999999 /dev/zero | tail -n 1 > /dev/null && echo done`
	for _, c := range []struct {
		limit  limit
		script string
		done   bool
	}{
		{pidsLimit(1), forks, false},
		{pidsLimit(64), forks, true},
		{memoryLimit(32), fills, false},
		{memoryLimit(512), fills, true},
		{processorLimit(5), forks, true},
	} {
		under, err := b.within(c.limit)
		if err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		cmd := exec.Command("sh", "-c", c.script)
		cmd.Stdout = &said
		stdin, err := cmd.StdinPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := under.put(cmd.Process.Pid); err != nil {
			t.Error(err)
		}
		stdin.Close()
		_ = cmd.Wait() // fails where it may not
		if done := said.String() == "done\n"; done != c.done {
			t.Errorf("under %s %q: %q", under.name, c.script, said.String())
		}
	}
	if err := removeGroups(b.dir); err != nil {
		t.Error(err)
	}
	if left, _ := filepath.Glob(filepath.Join(cgroups, "*", filepath.Base(b.dir)+"*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

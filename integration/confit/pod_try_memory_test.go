package confit

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// limitedGroup makes a cgroup, of version 2 or else 1, whose members may have so much memory. They find it at root, as in a container.
func limitedGroup(t *testing.T, limit int) (dir, root string) {
	t.Helper()
	root, file := "/sys/fs/cgroup", "memory.max"
	if data, err := os.ReadFile(root + "/cgroup.subtree_control"); err != nil || !strings.Contains(string(data), "memory") {
		root, file = "/sys/fs/cgroup/memory", "memory.limit_in_bytes"
	}
	dir, err := os.MkdirTemp(root, "confit-")
	if err != nil {
		t.Skipf("this machine has no cgroups to make (%v): the limit of memory can't be tested here", err)
	}
	t.Cleanup(func() { harness.Eventually(t, "an empty cgroup", func() bool { return os.Remove(dir) == nil }) })
	if err := os.WriteFile(filepath.Join(dir, file), []byte(strconv.Itoa(limit)), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir, root
}

// tryIn is a try in a cgroup with so much memory, as the container's init or beside it.
func (s *setup) tryIn(limit int, under bool) (c *confit, group string) {
	s.t.Helper()
	group, root := limitedGroup(s.t, limit)
	s.box.Under, s.box.Mounts = under, append(s.box.Mounts, harness.Bind(group, root))
	c = s.run(harness.Command{Argv: s.command("--try", s.tries("web", keys{"text": "good"})), Gate: true})
	if err := os.WriteFile(filepath.Join(group, "cgroup.procs"), []byte(strconv.Itoa(c.PID)), 0o644); err != nil {
		s.t.Fatal(err)
	}
	if err := c.Open(); err != nil {
		s.t.Fatal(err)
	}
	return c, group
}

// Beside others a validator that wants more memory than is left fails, and nobody is killed. One that fits in is well.
func TestTry_memory(t *testing.T) {
	t.Parallel()
	const megabyte = 1 << 20
	for name, test := range map[string]struct {
		limit int
		want  string // on stdout or stderr
	}{
		"enough": {512 * megabyte, passed + "staged, validated"},
		"less":   {128 * megabyte, "candidate rejected step=validate"},
		"none":   {48 * megabyte, "of memory are left below the limit of the container, and a try needs 64"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newTry(t)
			s.program = programs.shipped // the stacks of glibc's threads are data
			s.lines[1] = `validate python3 -c 'import sys; x = bytearray(160 << 20); print(len(x))' {candidate}`
			c, group := s.tryIn(test.limit, true)
			c.Eventually(test.want, func() bool { return c.Contains(test.want) })
			c.wantNoKill(group)
			if told := c.Contains("note: a process of a hook had at most "); told != (name == "less") {
				t.Errorf("told of the limit: %v", told)
			}
		})
	}
	t.Run("alone", func(t *testing.T) {
		t.Parallel()
		s := newTry(t)
		c, _ := s.tryIn(48*megabyte, false)
		c.Ends(0)
	})
}

// wantNoKill checks that the kernel has killed nobody in a cgroup.
func (c *confit) wantNoKill(group string) {
	c.t.Helper()
	for _, name := range []string{"memory.events", "memory.oom_control"} {
		text, _ := os.ReadFile(filepath.Join(group, name))
		for line := range strings.Lines(string(text)) {
			if n, found := strings.CutPrefix(line, "oom_kill "); found && strings.TrimSpace(n) != "0" {
				c.t.Errorf("the kernel killed somebody: %s", text)
			}
		}
	}
}

// A kill of the container while a try runs says nothing of the candidate that confit tries at that moment.
func TestTry_kill_counts_for_nobody(t *testing.T) {
	t.Parallel()
	s, web := newKiller(t, killers["validate_before"].line)
	web.swap(keys{"text": "first"})
	s.accept(s.printer()...)
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	web.swap(keys{"text": "second"})
	c.find("sleep 7654321")
	v := s.beside(c, "", endless, "--hook-timeout=1h")
	c.findItself("sleep 7654322")
	c.killedInHook("hooks")
	v.wait()

	s.write(s.path("script"), "exit 0")
	c = s.start(s.printer()...)
	c.Says("read second", 1)
	c.wantLogged(putOff, 0)
	if exists(filepath.Join(s.state, "try")) {
		t.Errorf("left:\n%s", s.tree(s.state))
	}
}

//go:build check

package confit

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// asNobody is the front of setpriv, which executes the script as another user.
const asNobody = "setpriv --reuid=65534 --regid=65534 --clear-groups"

// otherFronts are inits, what changes the user, and a shell that needs a package of its own.
var otherFronts = map[string]front{
	"tini":       behind("tini --"),
	"tini -s":    behind("tini -s --"),
	"dumb-init":  behind("dumb-init"),
	"setpriv":    behind(asNobody),
	"gosu":       behind("gosu nobody"),
	"su":         bySu,
	"busybox sh": {named: "start.sh", argv: func(e *scripted, app string) []string { return []string{e.script("/bin/busybox sh", sheltering+app)} }},
}

// throttled is that in a container with a CPU limit of 20m.
func throttled() map[string]front {
	slow := maps.Clone(otherFronts)
	for name, f := range slow {
		f.through = func(t *testing.T) string { return "echo 0 >" + filepath.Join(slowGroup(t), "cgroup.procs") + "; exec" }
		slow[name] = f
	}
	return slow
}

var throttles = regexp.MustCompile(`nr_throttled [1-9]`)

// slowGroup makes a cgroup, of version 2 or else 1, whose members run two hundredths of the time.
func slowGroup(t *testing.T) string {
	t.Helper()
	root, limits := "/sys/fs/cgroup", map[string]string{"cpu.max": "2000 100000"}
	if data, err := os.ReadFile(root + "/cgroup.subtree_control"); err != nil || !slices.Contains(strings.Fields(string(data)), "cpu") {
		root, limits = "/sys/fs/cgroup/cpu", map[string]string{"cpu.cfs_period_us": "100000", "cpu.cfs_quota_us": "2000"}
	}
	dir, err := os.MkdirTemp(root, "confit-")
	if err != nil {
		t.Skipf("this machine has no cgroups to make (%v): the limit of CPU can't be tested here", err)
	}
	t.Cleanup(func() {
		if stat, _ := os.ReadFile(filepath.Join(dir, "cpu.stat")); !throttles.Match(stat) {
			t.Errorf("nothing was throttled: %s", stat)
		}
		harness.Eventually(t, "an empty cgroup", func() bool { return os.Remove(dir) == nil })
	})
	for name, limit := range limits {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(limit), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestEntry_first_throttled(t *testing.T) {
	t.Parallel()
	eachFront(t, throttled(), func(e *scripted, f front, action string) { e.takesAfterTheFirst(f, action) })
}

func TestEntry_throttled(t *testing.T) {
	t.Parallel()
	eachFront(t, throttled(), func(e *scripted, f front, action string) { e.takesAfterTheWork(f, action) })
}

// behind is a front that executes a script, or stays its parent and hands signals on.
func behind(words string) front {
	return front{named: "start.sh", argv: func(e *scripted, app string) []string {
		return append(strings.Fields(words), e.script("/bin/bash", sheltering+app))
	}}
}

// bySu prints half lines.
var bySu = front{named: "start.sh", stays: true, deaf: true, argv: func(e *scripted, app string) []string {
	script := e.script("/bin/bash", sheltering+app)
	return []string{"sh", "-c", "exec su nobody -s /bin/bash -c " + script + " 2>/dev/null"}
}}

func TestEntry_first_other_fronts(t *testing.T) {
	t.Parallel()
	eachFront(t, otherFronts, first)
}

func TestEntry_other_fronts(t *testing.T) {
	t.Parallel()
	eachFront(t, otherFronts, again)
}

// blindFronts make the script another user's, and nothing in the container has CAP_SYS_PTRACE, which runtimes don't give: confit can't read
// /proc/PID/exe there.
func blindFronts() map[string]front {
	blind := map[string]front{}
	for _, name := range []string{"setpriv", "gosu", "su"} {
		f := otherFronts[name]
		f.through = func(*testing.T) string { return withoutPtrace }
		blind[name] = f
	}
	return blind
}

const withoutPtrace = "exec setpriv --bounding-set=-sys_ptrace --inh-caps=-sys_ptrace --"

func TestEntry_first_without_ptrace(t *testing.T) {
	t.Parallel()
	eachFront(t, blindFronts(), first)
}

func TestEntry_without_ptrace(t *testing.T) {
	t.Parallel()
	eachFront(t, blindFronts(), func(e *scripted, f front, action string) {
		c := e.waits(f)
		exe := fmt.Sprintf("/proc/%d/exe", c.find("/bin/bash "+e.path(f.named)).Inner)
		look := c.Visit(append([]string{"-p", "-m"}, strings.Fields(withoutPtrace + " readlink " + exe)[1:]...)...)
		if out, err := look.CombinedOutput(); err == nil {
			t.Fatalf("%q reads %s: this tests nothing", look.Args, out)
		}
		e.letEnd()
		c.takesSecond(f, action)
	})
}

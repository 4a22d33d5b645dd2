package process

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

func isZombie(pid int) bool {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return strings.Contains(string(text), ") Z ")
}

// TestBelongs: a process in the app's group or below one that is belongs to the
// app, dead or alive, and no other does.
func TestBelongs(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		r, w := pipe(t)
		app := n.talking(w, `sleep 300 & echo $!
			(sleep 300 & echo $!)
			echo $(setsid sh -c 'sleep 300 >/dev/null & echo $!')
			true & wait $!; echo $!
			setsid sh -c 'echo $$; sleep 300 & echo $!; sleep 300 & echo $!; exec sleep 300' & wait`)
		pids := map[string]int{"app": app, "confit": os.Getpid(), "confit's parent": os.Getppid(), "init": 1, "of another namespace": 0,
			"group": -app, "hook": n.hook(os.Stderr, "sleep", "300")}
		for _, who := range []string{"child", "orphan", "deserter", "reaped", "session", "child of a session", "zombie"} {
			pids[who] = number(t, r)
		}
		eventually(t, "a parent that doesn't wait", func() bool { return strings.HasSuffix(Executable(pids["session"]), "/sleep") })
		if err := Kill(pids["zombie"], unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		eventually(t, "zombie", func() bool { return isZombie(pids["zombie"]) })
		its := map[string]bool{"app": true, "child": true, "orphan": true, "session": true, "child of a session": true, "zombie": true}
		for who, pid := range pids {
			if Belongs(pid, app, Group(app)) != its[who] {
				t.Errorf("%s: %v", who, !its[who])
			}
			if Belongs(pid, 0, 0) || Belongs(pid, 1, 1) {
				t.Errorf("%s belongs to an app that isn't there", who)
			}
		}
		if leader := pids["orphan"]; !Belongs(leader, leader, Group(app)) || !Belongs(app, leader, Group(app)) {
			t.Error("an adopted app doesn't own itself, or not its group")
		}
		if !Belongs(pids["session"], app, Group(pids["hook"])) {
			t.Error("a child of an app in a strange group isn't its own")
		}
		endAll(n, Group(app))
	})
}

// TestBelongsEnds: a line of descent that doesn't end is given up.
func TestBelongsEnds(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		r, w := pipe(t)
		deeper := script(t, t.TempDir()+"/deeper", `#!/bin/sh
case $1 in 60 | 70) echo $$ ;; 71) exec sleep 300 ;; esac
setsid "$0" $(($1 + 1)) & wait
`, 0o755)
		app := n.talking(w, "exec "+deeper+" 0")
		if near, far := number(t, r), number(t, r); !Belongs(near, app, Group(app)) || Belongs(far, app, Group(app)) {
			t.Errorf("60 below: %v, 70 below: %v", Belongs(near, app, Group(app)), Belongs(far, app, Group(app)))
		}
		eventually(t, "end of the line", func() bool {
			list := descendants(app, nobody)
			return len(list) == 71 && Executable(list[70].PID) != Executable(app) // or it would go on after the end of the test
		})
		endAll(n, Group(app))
	})
}

func endAll(n *nursery, group Group) {
	n.family.EndLeftovers(group, unix.SIGKILL, false, 0)
	n.until("all ended", func() bool { return !n.family.Leftovers(group, false) })
}

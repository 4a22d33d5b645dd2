package process

import (
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestEndLeftovers: it finds orphans in groups and sessions of their own, and what
// is below them. It wakes a stopped one. When all are reaped, nothing is left. The
// caller isn't PID 1, so everybody means only its own, or this test would end the
// machine.
func TestEndLeftovers(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		r, w := pipe(t)
		n.talking(w, `setsid sh -c 'sleep 301 & sleep 302 & echo x; wait' & sh -c 'kill -STOP $$' & echo x; exit 0`)
		two := make([]byte, 4)
		for got := 0; got < len(two); {
			k, err := r.Read(two[got:])
			if err != nil {
				t.Fatal(err)
			}
			got += k
		}
		n.until("the first ended", func() bool { return len(n.ends) == 1 })
		if !n.family.Leftovers(0, false) {
			t.Error("nothing is said to be left")
		}
		if list := descendants(os.Getpid(), nobody); len(list) < 3 {
			t.Errorf("descendants %v", list)
		}
		n.family.EndLeftovers(0, unix.SIGTERM, true, 0)
		n.until("all ended", func() bool { return !n.family.Leftovers(0, false) })
	})
}

// TestEndLeftovers_spares: a hook that is waited for goes on, with all of its group. Everybody else ends.
func TestEndLeftovers_spares(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		r, w := pipe(t)
		hook := n.hook(w, "sh", "-c", `sleep 302 & echo x; wait`)
		app := n.talking(w, `echo x; sleep 301`)
		two := make([]byte, 4)
		for got := 0; got < len(two); {
			k, err := r.Read(two[got:])
			if err != nil {
				t.Fatal(err)
			}
			got += k
		}
		n.family.EndLeftovers(Group(app), unix.SIGTERM, true, Group(hook))
		n.until("the app ended", func() bool { return !GroupAlive(Group(app)) })
		if got := len(Members(Group(hook))); got != 2 {
			t.Errorf("%d processes of the hook are left, want 2", got)
		}
		n.family.EndLeftovers(Group(app), unix.SIGKILL, true, 0)
		n.until("all ended", func() bool { return !n.family.Leftovers(Group(app), true) })
	})
}

// TestHelpers: what was there before the first app is no leftover, nor is what it starts later, unless everybody is meant; a hook that
// runs at the first start, and what has only the number of a helper, are.
func TestHelpers(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		r, w := pipe(t)
		helper := n.talking(dup(t, w), `trap 'sleep 305 & echo 1' USR1; echo 0; while :; do sleep 0.05; done`)
		number(t, r)
		hook := n.hook(w, "sh", "-c", "sleep 306 & echo 0; wait")
		number(t, r)
		app := n.app("sleep", "301")
		if err := Kill(helper, unix.SIGUSR1); err != nil {
			t.Fatal(err)
		}
		number(t, r)
		n.family.EndLeftovers(Group(app), unix.SIGTERM, false, 0)
		n.until("only the helper is left", func() bool { return !n.family.Leftovers(Group(app), false) })
		if GroupAlive(Group(hook)) || len(Members(Group(helper))) < 2 || n.family.HasOrphans() || !n.family.Leftovers(Group(app), true) {
			t.Errorf("of the hook %v is left, of the helper %v; orphans: %v", Members(Group(hook)), Members(Group(helper)), n.family.HasOrphans())
		}
		n.family.helpers[helper]++ // another process has its number
		if !n.family.Leftovers(Group(app), false) {
			t.Error("a number makes a helper")
		}
		n.family.EndLeftovers(Group(helper), unix.SIGKILL, true, 0)
		n.until("all ended", func() bool { return !n.family.Leftovers(Group(helper), true) })
	})
}

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
		if !Leftovers(0) {
			t.Error("nothing is said to be left")
		}
		if len(descendants(os.Getpid())) < 3 {
			t.Errorf("descendants %v", descendants(os.Getpid()))
		}
		EndLeftovers(0, unix.SIGTERM, true, 0)
		n.until("all ended", func() bool { return !Leftovers(0) })
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
		EndLeftovers(Group(app), unix.SIGTERM, true, Group(hook))
		n.until("the app ended", func() bool { return !GroupAlive(Group(app)) })
		if got := len(members(Group(hook))); got != 2 {
			t.Errorf("%d processes of the hook are left, want 2", got)
		}
		EndLeftovers(Group(app), unix.SIGKILL, true, 0)
		n.until("all ended", func() bool { return !Leftovers(Group(app)) })
	})
}

// members lists the living processes of a group.
func members(group Group) []int {
	var list []int
	for _, s := range processes() {
		if s.group == group && !s.ended {
			list = append(list, s.pid)
		}
	}
	return list
}

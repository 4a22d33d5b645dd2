package process

import (
	"errors"
	"math"
	"os/exec"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestNobodyBelowTwo: 0, -1 and 1 mean the group, everybody and confit itself.
// Signal 0 would be sent to each of them, with no harm done if it were.
func TestNobodyBelowTwo(t *testing.T) {
	t.Parallel()
	for _, pid := range []int{1, 0, -1, -2, -12345, math.MinInt32, math.MinInt} {
		for what, err := range map[string]error{"Kill": Kill(pid, 0), "KillGroup": KillGroup(Group(pid), 0)} {
			if err == nil || errors.As(err, new(syscall.Errno)) {
				t.Errorf("%s of %d asked the kernel: %v", what, pid, err)
			}
		}
		if GroupAlive(Group(pid)) {
			t.Errorf("group %d is said to live", pid)
		}
	}
}

// TestKill: one process, and nobody else of its group; then the group.
func TestKill(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		r, w := pipe(t)
		leader := n.talking(w, "sleep 300 & echo $!; exec sleep 300")
		group := Group(leader)
		follower := number(t, r)
		if err := Kill(leader, unix.SIGTERM); err != nil {
			t.Fatal(err)
		}
		n.until("the leader has ended", func() bool { return len(n.ends) > 0 })
		n.wantEnd(leader, "signal 15")
		if Kill(leader, 0) != unix.ESRCH || !GroupAlive(group) {
			t.Error("the leader was reaped, but can be signalled, or its group is said to be gone with it")
		}
		if err := KillGroup(group, unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		n.until("the follower has ended", func() bool { return len(n.ends) == 2 })
		n.wantEnd(follower, "signal 9")
		if GroupAlive(group) || KillGroup(group, unix.SIGTERM) != unix.ESRCH {
			t.Error("the group outlives its members")
		}
	})
}

// TestGroupAlive: a zombie is a member, and pins the group's number.
func TestGroupAlive(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("sleep", "300")
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	group := Group(cmd.Process.Pid)
	if !GroupAlive(group) {
		t.Error("it lives, and is said not to")
	}
	if err := KillGroup(group, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for err := unix.EINTR; err == unix.EINTR; {
		err, _ = unix.Waitid(unix.P_PID, int(group), nil, unix.WEXITED|unix.WNOWAIT, nil).(unix.Errno)
	}
	if !GroupAlive(group) {
		t.Error("its zombie is no member")
	}
	_ = cmd.Wait()
	if GroupAlive(group) {
		t.Error("it was reaped, and is said to live")
	}
}

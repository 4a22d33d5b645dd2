package confit

import (
	"fmt"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// An old profile or an old kernel has none of the newer calls: swaps are checked and reloaded, the app is restarted, signals are
// forwarded, orphans reaped, leftovers drained.
func TestSeccomp(t *testing.T) {
	newer := []uint32{unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PIDFD_GETFD, unix.SYS_CLONE3,
		unix.SYS_CLOSE_RANGE, unix.SYS_OPENAT2, unix.SYS_FACCESSAT2}
	for _, errno := range []syscall.Errno{unix.ENOSYS, unix.EPERM} {
		eachUser(t, unix.ErrnoName(errno), func(t *testing.T, s *setup) {
			s.box.Refused = harness.Refuse(errno, newer...)
			web := s.volume("web")
			s.line("link web/a %s", s.target("a"))
			s.line("link web/again %s reload=restart", s.target("again"))
			s.line("validate sh -c 'test -e {candidate}/web/a'")
			web.swap(keys{"a": "first", "again": "1"})
			s.program = programs.shipped // glibc makes no thread where clone3(2) answers EPERM
			c := s.start("sh", "-c", fmt.Sprintf(readsAndListens, s.target("a")))
			c.Says("ready", 1)
			if mode := harness.StatusField(c.Proc(), "Seccomp"); mode != "2" {
				t.Errorf("seccomp mode %q: there is no filter", mode)
			}
			web.swap(keys{"a": "second", "again": "1"})
			c.Says("read second", 1)
			web.swap(keys{"a": "second", "again": "2"})
			c.Says("ready", 2)
			c.Signal(syscall.SIGUSR1)
			c.Says("signal USR1", 1)
			c.stops(7)
		})
	}
}

// readsAndListens is a daemon that needs neither threads nor /proc.
const readsAndListens = `trap 'echo read $(cat %s)' HUP; trap 'echo signal USR1' USR1; trap 'exit 7' TERM
	echo ready; while :; do sleep 0.05; done`

// Without ioctl(2) confit knows no terminal and no socket's length. It hears its signals nonetheless.
func TestSeccomp_ioctl(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	s.box.Refused = harness.Refuse(unix.EPERM, unix.SYS_IOCTL)
	c := s.start("sh", "-c", fmt.Sprintf(readsAndListens, s.target("a")))
	c.Says("ready", 1)
	c.Signal(syscall.SIGUSR1)
	c.Says("signal USR1", 1)
	c.stops(7)
}

// Without waitid(2) or wait4(2) confit would wait for ever for its first hook. It says so and ends.
func TestSeccomp_waits(t *testing.T) {
	t.Parallel()
	for call, number := range map[string]uint32{"waitid": unix.SYS_WAITID, "wait4": unix.SYS_WAIT4} {
		for _, errno := range []syscall.Errno{unix.ENOSYS, unix.EPERM} {
			s := newExit(t)
			s.line("validate true")
			s.box.Refused = harness.Refuse(errno, number)
			c := s.start(app()...)
			c.Ends(71)
			c.wantMention("cannot wait for processes: " + call + ": " + errno.Error())
		}
	}
}

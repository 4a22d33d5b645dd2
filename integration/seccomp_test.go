package integration

import (
	"fmt"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// refusal is a seccomp profile as old container runtimes have one: what they don't know they refuse.
type refusal struct {
	Calls []uint32
	Errno uint16
}

// refuse makes the kernel answer the calls with an error, in this process and whatever it executes: seccomp(2). The
// architecture isn't looked at, as nobody here runs a program of another.
func (b box) refuse() error {
	if b.Refused == nil {
		return nil
	}
	const number, first = 0, 16 // offsets of nr and of the first argument's lower half in struct seccomp_data
	answer := unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(b.Refused.Errno)}
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: number}}
	for _, call := range b.Refused.Calls {
		filter = append(filter,
			unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 1}, answer)
	}
	filter = append(filter, // waitid(2) on a pidfd
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.SYS_WAITID, Jf: 3},
		unix.SockFilter{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS, K: first},
		unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: unix.P_PIDFD, Jf: 1}, answer,
		unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
}

// An old profile, or an old kernel, has none of the newer calls: swaps are checked and told, the app is restarted, signals are
// forwarded, orphans reaped, leftovers drained.
func TestSeccomp(t *testing.T) {
	newer := []uint32{unix.SYS_PIDFD_OPEN, unix.SYS_PIDFD_SEND_SIGNAL, unix.SYS_PIDFD_GETFD, unix.SYS_CLONE3,
		unix.SYS_CLOSE_RANGE, unix.SYS_OPENAT2, unix.SYS_FACCESSAT2}
	for _, errno := range []syscall.Errno{unix.ENOSYS, unix.EPERM} {
		eachUser(t, unix.ErrnoName(errno), func(t *testing.T, s *setup) {
			s.box.Refused = &refusal{newer, uint16(errno)}
			web := s.volume("web")
			s.line("link web/a %s", s.target("a"))
			s.line("link web/again %s reload=restart", s.target("again"))
			s.line("validate sh -c 'test -e {candidate}/web/a'")
			web.swap(keys{"a": "first", "again": "1"})
			s.program = programs.shipped // glibc makes no thread where clone3(2) answers EPERM
			c := s.start("sh", "-c", fmt.Sprintf(readsAndListens, s.target("a")))
			c.says("ready", 1)
			if mode := statusField(fmt.Sprintf("/proc/%d", c.pid), "Seccomp"); mode != "2" {
				t.Errorf("seccomp mode %q: there is no filter", mode)
			}
			web.swap(keys{"a": "second", "again": "1"})
			c.says("read second", 1)
			web.swap(keys{"a": "second", "again": "2"})
			c.says("ready", 2)
			c.signal(syscall.SIGUSR1)
			c.says("signal USR1", 1)
			c.signal(syscall.SIGTERM)
			c.ends(7)
		})
	}
}

// readsAndListens is a daemon that needs neither threads nor /proc.
const readsAndListens = `trap 'echo read $(cat %s)' HUP; trap 'echo signal USR1' USR1; trap 'exit 7' TERM
	echo ready; while :; do sleep 0.05; done`

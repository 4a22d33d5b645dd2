package harness

import (
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Refusal is a seccomp profile as old container runtimes have one: it refuses the calls that it doesn't know.
type Refusal struct {
	Calls []uint32
	Errno syscall.Errno
}

// Refuse is a profile that answers these calls, which are SYS_… numbers, with an error.
func Refuse(errno syscall.Errno, calls ...uint32) *Refusal {
	return &Refusal{Calls: calls, Errno: errno}
}

// refuse makes the kernel answer the calls with an error, in this process and whatever it executes: seccomp(2). waitid(2) on a pidfd
// is one of them. The architecture isn't looked at, as nobody here runs a program of another.
func (b interior) refuse() error {
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
	filter = append(filter,
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

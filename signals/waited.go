package signals

import (
	"encoding/binary"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A program can take a signal without a handler: it has it blocked in each
// thread, and asks for it by sigwait(3) (named, tini) or signalfd(2)
// (keepalived). The kernel gives a signal to any thread that doesn't block it
// (complete_signal of kernel/signal.c), so with one such thread the default
// action takes place, and ends all of them.

// taker is what a thread would do with the signal.
type taker byte

const (
	open    taker = 'o' // the default action
	blocked taker = 'b'
	waiting taker = 'w' // it asks for it just now
)

// waited reports whether each thread of the process has the signal blocked, or
// waits for it. What it was started with says nothing: a signal that confit
// itself was started with blocked is blocked in the app whether it asks for it
// or not.
func waited(pid int, sig Signal, inherited uint64) bool {
	if inherited&bit(sig) != 0 {
		return false
	}
	threads := takers(pid, sig)
	return len(threads) > 0 && !slices.Contains(threads, open)
}

// takers asks each thread. They come and go meanwhile: one that is new has the
// mask of its maker (pthread_sigmask(3)), which is asked, too; one that has ended
// takes no signal any more.
func takers(pid int, sig Signal) []taker {
	var list []taker
	tasks := "/proc/" + strconv.Itoa(pid) + "/task"
	entries, _ := os.ReadDir(tasks)
	for _, e := range entries {
		task := tasks + "/" + e.Name()
		status, err := os.ReadFile(task + "/status")
		if state := field(status, "State:"); err != nil || len(state) == 0 || state[0] == 'Z' || state[0] == 'X' {
			continue
		}
		list = append(list, takerIn(status, task, sig))
	}
	return list
}

func takerIn(status []byte, task string, sig Signal) taker {
	set, ok := mask(status, "SigBlk:")
	switch {
	case ok && set&bit(sig) != 0:
		return blocked
	case awaited(task)&bit(sig) != 0:
		return waiting
	}
	return open
}

// awaited is the set that a thread waits for in rt_sigtimedwait(2), by which
// sigwait(3) does it as well. While it is there the kernel doesn't count that
// set as blocked (do_sigtimedwait of kernel/signal.c). /proc/PID/syscall tells of
// the system call and where its set is, proc_pid_syscall(5). Who may not see it
// takes the thread for one that doesn't wait.
func awaited(task string) uint64 {
	text, err := os.ReadFile(task + "/syscall")
	if err != nil {
		return 0
	}
	number, rest, _ := strings.Cut(string(text), " ")
	if number != strconv.Itoa(unix.SYS_RT_SIGTIMEDWAIT) {
		return 0 // "running", or in another call
	}
	first, _, _ := strings.Cut(rest, " ") // 0x and the address of the set
	at, err := strconv.ParseInt(first, 0, 64)
	if err != nil {
		return 0
	}
	memory, err := os.Open(task + "/mem")
	if err != nil {
		return 0
	}
	defer memory.Close()
	var set [8]byte
	if _, err := memory.ReadAt(set[:], at); err != nil {
		return 0
	}
	return binary.NativeEndian.Uint64(set[:])
}

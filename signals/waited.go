package signals

import (
	"encoding/binary"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A program can take a signal without a handler: each of its threads blocks it,
// and one asks for it by sigwait(3) (named, tini) or signalfd(2) (keepalived). The
// kernel gives a signal to any thread that doesn't block it (complete_signal of
// kernel/signal.c), so a single such thread is enough for the default action,
// which ends them all.

// taker is what a thread would do with the signal.
type taker byte

const (
	open    taker = 'o' // the default action
	blocked taker = 'b'
	waiting taker = 'w' // it asks for the signal just now
)

// waited reports whether each thread of the process blocks the signal or waits
// for it. Of a signal that confit itself was started with blocked nothing can be
// said: the app has it blocked, too, whether it asks for it or not.
func waited(pid int, sig Signal, inherited set) bool {
	if inherited.has(sig) {
		return false
	}
	threads := takers(pid, sig)
	return len(threads) > 0 && !slices.Contains(threads, open)
}

// takers asks each thread. Threads may come and go meanwhile. A new one has the
// mask of its maker (pthread_sigmask(3)), which is asked, too; one that has ended
// takes no signal.
func takers(pid int, sig Signal) []taker {
	var list []taker
	tasks := "/proc/" + strconv.Itoa(pid) + "/task"
	entries, _ := os.ReadDir(tasks)
	for _, e := range entries {
		task := tasks + "/" + e.Name()
		text, _ := os.ReadFile(task + "/status")
		status := string(text)
		if state := field(status, "State:"); state == "" || state[0] == 'Z' || state[0] == 'X' {
			continue
		}
		list = append(list, takerIn(status, task, sig))
	}
	return list
}

func takerIn(status, task string, sig Signal) taker {
	held, ok := mask(status, "SigBlk:")
	switch {
	case ok && held.has(sig):
		return blocked
	case awaited(task).has(sig):
		return waiting
	}
	return open
}

// awaited is the set that a thread waits for in rt_sigtimedwait(2), which is
// what sigwait(3) calls. Meanwhile SigBlk lacks that set (do_sigtimedwait of
// kernel/signal.c), but /proc/PID/syscall shows the system call and where its set
// is, proc_pid_syscall(5). Where confit may not read these, the thread counts as
// one that doesn't wait.
func awaited(task string) set {
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
	var bytes [8]byte
	if _, err := unix.Pread(int(memory.Fd()), bytes[:], at); err != nil {
		return 0
	}
	return set(binary.NativeEndian.Uint64(bytes[:]))
}

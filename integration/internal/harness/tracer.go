package harness

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"unsafe"

	"golang.org/x/sys/unix"
)

// tracedCalls are the system calls by which a file, a directory or a link is made, changes its name, or goes away. Go's
// library and x/sys use nothing else for these. openat counts when it may create.
var tracedCalls = map[uint64]string{
	unix.SYS_RENAMEAT: "renameat", unix.SYS_RENAMEAT2: "renameat2", unix.SYS_SYMLINKAT: "symlinkat",
	unix.SYS_LINKAT: "linkat", unix.SYS_UNLINKAT: "unlinkat", unix.SYS_MKDIRAT: "mkdirat",
	unix.SYS_FCHMOD: "fchmod", unix.SYS_FCHMODAT: "fchmodat", unix.SYS_FTRUNCATE: "ftruncate",
	unix.SYS_OPENAT: "openat",
}

// KillAt starts a tracer that kills the program when it enters its nth such call, before the kernel does anything for it. The calls of
// all threads are counted together, which `strace -e inject=…:signal=KILL:when=N` doesn't do: it counts for each thread, and the Go
// runtime moves between threads. It returns when the tracer is attached. done tells what the tracer saw after the program has ended.
// Roles must hold Tracer as "tracer".
func (r *Run) KillAt(n int) (done func() string) {
	r.t.Helper()
	cmd := exec.Command("/proc/self/exe", strconv.Itoa(r.PID), strconv.Itoa(n), strconv.FormatBool(r.gated))
	cmd.Env = []string{RoleVariable + "=tracer"}
	tracer, err := Accompany(cmd)
	if err == nil {
		err = tracer.Expect("attached")
	}
	if err != nil {
		r.t.Fatalf("cannot trace PID 1: %v", err)
	}
	return func() string {
		last, _ := tracer.Hear()
		if err := tracer.End(); err != nil {
			r.t.Errorf("the tracer: %v", err)
		}
		return last
	}
}

// trace is the state of the tracer.
type trace struct {
	pid, killAt int
	counting    bool // from the start, or from the exec of the program
	seen        int
	stopped     map[int]bool // threads that were seized, and whether they have reported
}

// Tracer is a part, started by KillAt: its arguments are a pid, the call to kill at, and whether the program is still to be executed.
func Tracer() int {
	if err := runTracer(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "tracer:", err)
		return 1
	}
	return 0
}

func runTracer(args []string) error {
	pid, err1 := strconv.Atoi(args[0])
	killAt, err2 := strconv.Atoi(args[1])
	waits, err3 := strconv.ParseBool(args[2])
	t := &trace{pid: pid, killAt: killAt, counting: !waits, stopped: map[int]bool{}}
	if err := errors.Join(err1, err2, err3, t.seize()); err != nil {
		return err
	}
	announced := false
	for {
		if !announced && t.allStopped() {
			fmt.Println("attached")
			announced = true
		}
		var status unix.WaitStatus
		tid, err := unix.Wait4(-1, &status, unix.WALL, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case errors.Is(err, unix.ECHILD):
			fmt.Printf("seen %d\n", t.seen)
			return nil
		case err != nil:
			return err
		case status.Stopped():
			t.stop(tid, status)
		default: // a thread has ended
			delete(t.stopped, tid)
		}
	}
}

// seize attaches to every thread. New ones may appear meanwhile, so it looks until there is none; later ones are attached
// by the kernel.
func (t *trace) seize() error {
	const options = unix.PTRACE_O_TRACESYSGOOD | unix.PTRACE_O_TRACECLONE | unix.PTRACE_O_TRACEEXEC
	for found := true; found; {
		found = false
		threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*", t.pid))
		for _, path := range threads {
			tid, err := strconv.Atoi(filepath.Base(path))
			if _, known := t.stopped[tid]; known || err != nil {
				continue
			}
			if err := ptrace(unix.PTRACE_SEIZE, tid, options); errors.Is(err, unix.ESRCH) {
				continue // gone, or attached by the kernel already
			} else if err != nil && !errors.Is(err, unix.EPERM) {
				return fmt.Errorf("cannot seize %d: %w", tid, err)
			} else if err == nil {
				_ = ptrace(unix.PTRACE_INTERRUPT, tid, 0)
			}
			t.stopped[tid] = err != nil // EPERM: it is being traced, by us
			found = true
		}
	}
	return nil
}

func (t *trace) allStopped() bool {
	for _, stopped := range t.stopped {
		if !stopped {
			return false
		}
	}
	return true
}

// stop handles one stop of one thread, and lets it go on.
func (t *trace) stop(tid int, status unix.WaitStatus) {
	t.stopped[tid] = true
	sig := status.StopSignal()
	event := int(status) >> 16
	switch {
	case sig == unix.SIGTRAP|0x80: // a system call
		t.call(tid)
		sig = 0
	case event == unix.PTRACE_EVENT_EXEC:
		t.counting, sig = true, 0
	case event != 0:
		sig = 0
	}
	_ = ptrace(unix.PTRACE_SYSCALL, tid, uintptr(sig))
}

// call counts one that is about to begin, and kills at the one that was asked for.
func (t *trace) call(tid int) {
	// struct ptrace_syscall_info of ptrace(2): op, arch, instruction and stack pointer, then number and arguments.
	const entry, opOffset, nrOffset, flagsOffset = 1, 0, 24, 24 + 8*3
	var info [88]byte
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_GET_SYSCALL_INFO, uintptr(tid), uintptr(len(info)),
		uintptr(unsafe.Pointer(&info)), 0, 0)
	if errno != 0 {
		return
	}
	nr := binary.NativeEndian.Uint64(info[nrOffset:])
	if _, traced := tracedCalls[nr]; !t.counting || info[opOffset] != entry || !traced {
		return
	}
	if nr == unix.SYS_OPENAT && binary.NativeEndian.Uint64(info[flagsOffset:])&unix.O_CREAT == 0 {
		return
	}
	t.seen++
	if t.seen == t.killAt {
		_ = unix.Kill(t.pid, unix.SIGKILL)
	}
}

func ptrace(request, tid int, data uintptr) error {
	_, _, errno := unix.Syscall6(unix.SYS_PTRACE, uintptr(request), uintptr(tid), 0, data, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

package integration

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

const boxVariable = "INTEGRATION_BOX"

// box is what surrounds a confit, beyond the PID and mount namespaces that each one gets. It travels in a variable to the
// process that sets it up from inside.
type box struct {
	Net            bool     // a network namespace of its own, with lo up
	Under          bool     // confit is the child of PID 1, not PID 1
	Bind           []bind   // mounts of what is elsewhere
	ReadOnly       []string // trees that can't be written to
	Tmpfs          []tmpfs  // mounted after ReadOnly, so that they can lie below
	StrictAtime    []string // directories where each look leaves a trace
	TerminationLog string   // the file behind /dev/termination-log
	UID            int      // confit's user and group
	OneUser        bool     // a user namespace that knows no user and group but root's
	NoFile         uint64   // soft limit of open files
	HardNoFile     bool     // the hard limit is the same
	NoProc         bool     // an empty /proc
	Refused        *refusal // system calls that a seccomp profile doesn't allow
	Gate           bool     // confit starts when the test writes a byte to its gate, and else at once
	Argv, Env      []string
}

type bind struct{ From, To string }

type tmpfs struct{ Path, Options string }

// parentEnd is the signal that ends a namespace when the suite itself is ended from outside.
const parentEnd = syscall.SIGKILL

func init() {
	if _, ok := os.LookupEnv(roleVariable); ok {
		runtime.LockOSThread() // ptrace and the parent's death signal belong to one thread
	}
}

// enter is the first process of the new namespaces.
func enter() int {
	var b box
	if err := json.Unmarshal([]byte(os.Getenv(boxVariable)), &b); err != nil {
		fmt.Fprintln(os.Stderr, "enter:", err)
		return 125
	}
	if err := b.setUp(); err != nil {
		fmt.Fprintln(os.Stderr, "enter:", err)
		return 125
	}
	if b.Under {
		return b.parent()
	}
	err := syscall.Exec(b.Argv[0], b.Argv, b.Env)
	fmt.Fprintln(os.Stderr, "enter:", err)
	return 125
}

func (b box) setUp() error {
	for _, step := range []func() error{
		b.network, b.mounts, b.terminationLog, b.limits, b.dropUser, b.gate, b.refuse,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (b box) network() error {
	if !b.Net {
		return nil
	}
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(socket)
	request, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	request.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	return unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, request)
}

func (b box) mounts() error {
	if err := mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return err
	}
	if err := mount("proc", "/proc", "proc", 0, ""); err != nil {
		return err
	}
	for _, m := range b.Bind {
		if err := mount(m.From, m.To, "", unix.MS_BIND, ""); err != nil {
			return err
		}
	}
	for _, path := range b.StrictAtime {
		if err := rebind(path, unix.MS_STRICTATIME); err != nil {
			return err
		}
	}
	for _, path := range b.ReadOnly {
		if err := rebind(path, unix.MS_RDONLY); err != nil {
			return err
		}
	}
	for _, m := range b.Tmpfs {
		if err := mount("tmpfs", m.Path, "tmpfs", 0, m.Options); err != nil {
			return err
		}
	}
	if b.NoProc {
		return mount("tmpfs", "/proc", "tmpfs", 0, "")
	}
	return nil
}

// rebind mounts a directory over itself with other flags; for the root, which can't be covered, only the flags change.
func rebind(path string, flags uintptr) error {
	if path != "/" {
		if err := mount(path, path, "", unix.MS_BIND, ""); err != nil {
			return err
		}
	}
	return mount("none", path, "", unix.MS_BIND|unix.MS_REMOUNT|flags, "")
}

func mount(source, target, kind string, flags uintptr, options string) error {
	if err := unix.Mount(source, target, kind, flags, options); err != nil {
		return fmt.Errorf("cannot mount %q on %q: %w", source, target, err)
	}
	return nil
}

const terminationLogPath = "/dev/termination-log"

// terminationLog gives the box a /dev of its own with the log that the kubelet mounts there; or without one, where the
// machine has one that a test must not write to.
func (b box) terminationLog() error {
	_, err := os.Lstat(terminationLogPath)
	if b.TerminationLog == "" && errors.Is(err, os.ErrNotExist) {
		return nil
	}
	shm, err := unix.Open("/dev/shm", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(shm)
	if err := mount("tmpfs", "/dev", "tmpfs", 0, "mode=0755"); err != nil {
		return err
	}
	err = errors.Join(device("null", 1, 3), device("zero", 1, 5), device("urandom", 1, 9), os.Mkdir("/dev/shm", 0o777),
		mount(fmt.Sprintf("/proc/self/fd/%d", shm), "/dev/shm", "", unix.MS_BIND, ""))
	if err != nil || b.TerminationLog == "" {
		return err
	}
	if err := os.WriteFile(terminationLogPath, nil, 0o666); err != nil {
		return err
	}
	return mount(b.TerminationLog, terminationLogPath, "", unix.MS_BIND, "")
}

func device(name string, major, minor uint32) error {
	path := filepath.Join("/dev", name)
	if err := unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(major, minor))); err != nil {
		return err
	}
	return os.Chmod(path, 0o666)
}

func (b box) limits() error {
	if b.NoFile == 0 {
		return nil
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	limit.Cur = b.NoFile
	if b.HardNoFile {
		limit.Max = b.NoFile
	}
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
}

func (b box) dropUser() error {
	if b.UID == 0 {
		return nil
	}
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setresgid(b.UID, b.UID, b.UID), syscall.Setresuid(b.UID, b.UID, b.UID)); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(parentEnd), 0, 0, 0) // lost with the old user
}

func (b box) gate() error {
	file := os.NewFile(3, "gate")
	defer file.Close()
	if _, err := file.Read(make([]byte, 1)); err != io.EOF {
		return err
	}
	return nil
}

// parent is a PID 1 with confit as its child. When confit has ended, it says which processes confit left behind. What was killed
// may take a while to die where the processors are busy.
func (b box) parent() int {
	cmd := exec.Command(b.Argv[0], b.Argv[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = b.Env, os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "enter:", err)
		return 125
	}
	_ = cmd.Wait()
	left := besidesPID1()
	for deadline := time.Now().Add(patience); len(left) > 0 && time.Now().Before(deadline); left = besidesPID1() {
		time.Sleep(pollInterval)
	}
	for _, stat := range left {
		fmt.Printf("left behind: %.80s\n", stat)
	}
	return cmd.ProcessState.ExitCode()
}

// besidesPID1 are the processes of the namespace, each as stat of proc(5) has it, without zombies.
func besidesPID1() (found []string) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err == nil && !strings.Contains(string(stat), ") Z ") && !strings.HasPrefix(string(stat), "1 ") {
			found = append(found, string(stat))
		}
	}
	return found
}

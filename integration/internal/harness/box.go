package harness

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"confit/integration/testenv"
)

// Box is what surrounds a program, beyond the PID and mount namespaces and the /proc that each one gets. The zero value is the
// suite's own environment.
type Box struct {
	Net            bool     // a network namespace of its own, with lo up
	NetOf          int      // the process whose network it shares, as the containers of a pod do; 0: the suite's
	Root           string   // the root directory; "": that of the suite
	Mounts         []Mount  // in this order
	NoProc         bool     // an empty /proc
	TerminationLog string   // the file behind /dev/termination-log; "": there is none
	UID            int      // user and group
	OneUser        bool     // a user namespace that knows no user and group but root's
	Umask          int      // 0: the suite's
	NoFile         uint64   // soft limit of open files; 0: the suite's
	HardNoFile     bool     // the hard limit is the same
	Refused        *Refusal // system calls that a seccomp profile doesn't allow
	NoStderr       bool     // descriptor 2 isn't open
	Under          bool     // the program is the child of PID 1, not PID 1

	Ignored, Blocked []syscall.Signal // all others have their default action; not with Under
}

// boxVariable carries an interior to the process that sets the box up from inside.
const boxVariable = "INTEGRATION_BOX"

// interior is a box and what becomes its first program.
type interior struct {
	Box
	Argv, Env []string
	Files     int // descriptors from 3 on that the program gets; the next one is the gate
}

// ParentEnd is the signal that ends a box when the suite itself is ended from outside.
const ParentEnd = syscall.SIGKILL

// enter is the first process of the new namespaces: it sets the box up and becomes the program.
func enter() int {
	var b interior
	err := json.Unmarshal([]byte(os.Getenv(boxVariable)), &b)
	if err == nil {
		err = b.setUp()
	}
	if err == nil && b.Under {
		return b.parent()
	}
	if err == nil {
		err = b.become()
	}
	fmt.Fprintln(os.Stderr, "enter:", err)
	return failed
}

func (b interior) setUp() error {
	for _, step := range []func() error{
		b.umask, b.network, b.mounts, b.terminationLog, b.limits, b.dropPrivileges, b.waitAtGate, b.closeDescriptors, b.refuse,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

func (b interior) umask() error {
	if b.Umask != 0 {
		syscall.Umask(b.Umask)
	}
	return nil
}

func (b interior) network() error {
	switch {
	case b.Net:
		return RaiseLoopback()
	case b.NetOf != 0:
		return joinNetwork(b.NetOf)
	}
	return nil
}

func (b interior) limits() error {
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

// dropPrivileges also drops the ambient capabilities of a program that makes boxes without being root.
func (b interior) dropPrivileges() error {
	err := unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0)
	if b.UID == 0 || err != nil {
		return err
	}
	if err := errors.Join(b.giveStreams(), syscall.Setgroups(nil), syscall.Setresgid(b.UID, b.UID, b.UID), syscall.Setresuid(b.UID, b.UID, b.UID)); err != nil {
		return err
	}
	return unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(ParentEnd), 0, 0, 0) // lost with the old user
}

// giveStreams lets the user open /dev/stdout and /dev/stderr, as runc does (fixStdioPermissions in libcontainer/init_linux.go). A pipe
// has an owner and mode 0600, and opening /proc/self/fd/1 asks for them: proc_pid_fd(5).
func (b interior) giveStreams() error {
	for fd := range 3 {
		var stat unix.Stat_t
		if err := unix.Fstat(fd, &stat); err != nil || stat.Mode&unix.S_IFMT != unix.S_IFIFO {
			continue
		}
		if err := unix.Fchown(fd, b.UID, b.UID); err != nil {
			return err
		}
	}
	return nil
}

// waitAtGate waits for a byte, or for the end of who would write it.
func (b interior) waitAtGate() error {
	gate := os.NewFile(uintptr(3+b.Files), "gate")
	defer gate.Close()
	if _, err := gate.Read(make([]byte, 1)); err != io.EOF {
		return err
	}
	return nil
}

// closeDescriptors keeps from the program what whoever ran the suite has left open.
func (b interior) closeDescriptors() error {
	return unix.CloseRange(uint(3+b.Files), math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
}

// become never returns unless it fails. The signals come last: the Go runtime doesn't live long without its handlers.
func (b interior) become() error {
	if err := testenv.ResetSignals(); err != nil {
		return err
	}
	for _, sig := range b.Ignored {
		if err := testenv.SetAction(sig, testenv.Ignore); err != nil {
			return err
		}
	}
	if err := testenv.Block(b.Blocked...); err != nil {
		return err
	}
	if b.NoStderr {
		unix.Close(2)
	}
	return fmt.Errorf("cannot run %q: %w", b.Argv[0], syscall.Exec(b.Argv[0], b.Argv, b.Env))
}

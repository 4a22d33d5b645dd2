//go:build conformance

package conformance

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"

	"confit/integration/world"
)

const boxVariable = "CONFORMANCE_BOX"

// box is what an init is started with. It travels in a variable to the process that sets it up from inside.
type box struct {
	Argv, Env        []string
	User             int // its user and group
	Umask            int
	Files            uint64 // soft limit of open files
	Ignored, Blocked []syscall.Signal
	NoStderr         bool // descriptor 2 isn't open
	Extra            int  // descriptors from 3 on that the init gets
}

func init() {
	if _, ok := os.LookupEnv(roleVariable); ok {
		runtime.LockOSThread() // the mask of signals belongs to a thread
	}
}

// enter is the first process of the new namespaces.
func enter() int {
	var b box
	err := json.Unmarshal([]byte(os.Getenv(boxVariable)), &b)
	if err == nil {
		err = b.setUp()
	}
	if err == nil {
		if b.NoStderr {
			unix.Close(2)
		}
		err = syscall.Exec(b.Argv[0], b.Argv, b.Env)
	}
	fmt.Fprintln(os.Stderr, "enter:", err)
	return 125
}

func (b box) setUp() error {
	syscall.Umask(b.Umask)
	for _, step := range []func() error{b.descriptors, b.mounts, b.limits, b.user, b.signals} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// descriptors keeps from the init what whoever ran the suite has left open.
func (b box) descriptors() error {
	return unix.CloseRange(uint(3+b.Extra), math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC)
}

func (b box) mounts() error {
	return errors.Join(unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), unix.Mount("proc", "/proc", "proc", 0, ""))
}

func (b box) limits() error {
	if b.Files == 0 {
		return nil
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err != nil {
		return err
	}
	limit.Cur = b.Files
	return syscall.Setrlimit(syscall.RLIMIT_NOFILE, &limit)
}

func (b box) user() error {
	if b.User == 0 {
		return nil
	}
	err := errors.Join(syscall.Setgroups(nil), syscall.Setresgid(b.User, b.User, b.User), syscall.Setresuid(b.User, b.User, b.User))
	// Changing the user forgets the signal that ends the box when the suite is ended from outside.
	return errors.Join(err, unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(unix.SIGKILL), 0, 0, 0))
}

// signals sets every disposition and the mask, past the Go runtime, whose handlers become the default action at the exec.
func (b box) signals() error {
	if err := world.ResetSignals(); err != nil {
		return err
	}
	for _, sig := range b.Ignored {
		if err := world.SetAction(sig, world.Ignore); err != nil {
			return err
		}
	}
	return world.Block(b.Blocked...)
}

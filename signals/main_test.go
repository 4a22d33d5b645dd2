package signals

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// roleVar makes the test binary play a process that signals are sent to.
const roleVar = "SIGNALS_TEST_ROLE"

// roles are those processes. Each leaves by itself: at the end of its standard
// input at the latest.
var roles = map[string]func(){
	"suffer": suffer, "dispose": dispose, "spoof": spoof, "inbox": inbox,
}

func TestMain(m *testing.M) {
	role := os.Getenv(roleVar)
	if role == "" {
		os.Exit(m.Run())
	}
	play, ok := roles[role]
	if !ok {
		must(fmt.Errorf("no role %q", role))
	}
	play()
}

// asRole is the test binary in a role.
func asRole(role string, args ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(os.Environ(), roleVar+"="+role)
	cmd.Stderr = os.Stderr
	return cmd
}

// must ends a role that can't play.
func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(9)
	}
}

// everySignal is 1…64.
func everySignal() []Signal {
	var list []Signal
	for sig := Signal(1); sig <= 64; sig++ {
		list = append(list, sig)
	}
	return list
}

// Handlers of sigaction(2).
const (
	sigDefault = 0 // SIG_DFL
	sigIgnore  = 1 // SIG_IGN
)

// setHandler changes a disposition behind the Go runtime's back, which has a
// handler for nearly every signal and can't give back SIG_DFL.
func setHandler(sig Signal, handler uintptr) error {
	action := [4]uintptr{handler} // the head of the kernel's struct sigaction; the rest is 0: no flags, no mask
	_, _, errno := unix.RawSyscall6(unix.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(&action)), 0, 8, 0, 0)
	runtime.KeepAlive(&action)
	if errno != 0 {
		return errno
	}
	return nil
}

// uncatchable are the signals whose disposition nobody can change, signal(7).
func uncatchable(sig Signal) bool {
	return slices.Contains([]Signal{unix.SIGKILL, unix.SIGSTOP}, sig)
}

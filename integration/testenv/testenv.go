// Package testenv gives the tests the same environment wherever they are run: under nohup, by a CI's runner, with a strange umask, or
// with something mounted where they work. What a test is about it sets up itself; all else is as on a fresh machine.
//
// A process can't give all of it back to itself: the Go runtime has looked at the signals before the first line of Go runs, and
// a mount namespace belongs to a thread. So the test binary sets it up and is executed once more.
package testenv

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// entered tells the test binary, and what it starts of itself, that the environment is made. Its value is the directory that is a
// file system of the suite's own, if there is one.
const entered = "TESTENV_ENTERED"

// Enter is the first thing that TestMain calls. For all that the suite starts, signals have their default action and none is
// blocked; the umask, the limits and the environment are a fresh machine's, and no descriptor but the first three is passed on.
// It needs no rights.
func Enter() {
	if _, done := os.LookupEnv(entered); !done {
		again("")
	}
	keepIgnoring()
}

// EnterAsRoot is Enter, and in a mount namespace of the suite's own a tmpfs for its temporary files and another at /dev/shm.
// Nothing that the suite mounts is seen outside, and nothing is left behind, however it ends, but an empty directory if it was
// killed. Leave removes that.
func EnterAsRoot() {
	if _, done := os.LookupEnv(entered); done {
		keepIgnoring()
		return
	}
	dir, err := os.MkdirTemp("/tmp", "confit-testenv-") // $TMPDIR may be one that only the caller enters: pam_tmpdir(8)
	if err != nil {
		fail(err)
	}
	if err := mounts(dir); err != nil {
		_ = os.Remove(dir)
		fail(fmt.Errorf("cannot make the environment of the tests, which needs root with CAP_SYS_ADMIN: %w", err))
	}
	again(dir)
}

// Leave removes what EnterAsRoot made. Of what runs in other mount namespaces it takes nothing away.
func Leave() error {
	dir := os.Getenv(entered)
	if dir == "" {
		return nil
	}
	return errors.Join(unix.Unmount(dir, unix.MNT_DETACH), os.Remove(dir))
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "testenv:", err)
	os.Exit(125)
}

// again never returns. The thread that it runs on is the one that the new program begins with.
func again(dir string) {
	runtime.LockOSThread()
	syscall.Umask(0o022)
	_ = os.Chmod("/proc/self/exe", 0o755) // built under another umask, only its owner could play a part with it
	environ := append(environment(dir), entered+"="+dir, ignored+"="+ignoredSignals())
	err := errors.Join(limits(), unix.CloseRange(3, math.MaxInt32, unix.CLOSE_RANGE_CLOEXEC), ResetSignals())
	if err == nil {
		err = syscall.Exec("/proc/self/exe", os.Args, environ)
	}
	fail(err)
}

func mounts(dir string) error {
	runtime.LockOSThread()
	return errors.Join(
		unix.Unshare(unix.CLONE_NEWNS),
		unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("tmpfs", dir, "tmpfs", 0, "mode=1777"),
		unix.Mount("tmpfs", "/dev/shm", "tmpfs", 0, "mode=1777"))
}

// limits sets the soft limits of a fresh machine; a hard one that is lower stays.
func limits() error {
	for resource, soft := range map[int]uint64{
		unix.RLIMIT_AS: unix.RLIM_INFINITY, unix.RLIMIT_CORE: 0, unix.RLIMIT_CPU: unix.RLIM_INFINITY, unix.RLIMIT_DATA: unix.RLIM_INFINITY,
		unix.RLIMIT_FSIZE: unix.RLIM_INFINITY, unix.RLIMIT_NOFILE: 1024, unix.RLIMIT_NPROC: unix.RLIM_INFINITY, unix.RLIMIT_STACK: 8 << 20,
	} {
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(resource, &limit); err != nil {
			return err
		}
		limit.Cur = min(soft, limit.Max)
		if err := syscall.Setrlimit(resource, &limit); err != nil {
			return err
		}
	}
	return nil
}

// environment is that of the caller without what changes how confit or a shell works.
func environment(dir string) []string {
	kept := slices.DeleteFunc(os.Environ(), func(pair string) bool {
		name, _, _ := strings.Cut(pair, "=")
		for _, prefix := range []string{"CONFIT_", "LC_", "LISTEN_"} {
			if strings.HasPrefix(name, prefix) {
				return true
			}
		}
		return slices.Contains([]string{"BASH_ENV", "ENV", "LANG", "LANGUAGE", "NOTIFY_SOCKET"}, name)
	})
	if dir != "" {
		kept = append(slices.DeleteFunc(kept, func(pair string) bool { return strings.HasPrefix(pair, "TMPDIR=") }), "TMPDIR="+dir)
	}
	return kept
}

package daemons

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// A box is a fresh PID, mount and network namespace, so ports and pid files never clash. What a daemon finds in it besides
// Debian's files:
//
//	/srv/volumes  the volumes
//	/srv/etc      what the links point from
//	/srv          files of the image, such as an application
//	/run          empty at first
//	/run/confit   outlives a box, as an emptyDir does a container; pid files in /run must not
//	/dev/shm      of its own, which squid needs
const root = "/srv"

// rootVariable names the directory outside that is /srv inside.
const rootVariable = "DAEMONS_ROOT"

func init() {
	if _, ok := os.LookupEnv(roleVariable); ok {
		runtime.LockOSThread() // the parent's death signal belongs to one thread
	}
}

// enter is the first process of the new namespaces. It sets them up and becomes confit.
func enter() int {
	dir := os.Getenv(rootVariable)
	err := errors.Join(
		unix.Mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""),
		unix.Mount("proc", "/proc", "proc", 0, ""),
		unix.Mount("tmpfs", "/run", "tmpfs", 0, "mode=0755"),
		os.Mkdir("/run/confit", 0o755),
		unix.Mount(filepath.Join(dir, "state"), "/run/confit", "", unix.MS_BIND, ""),
		unix.Mount(dir, root, "", unix.MS_BIND, ""),
		unix.Mount("tmpfs", "/dev/shm", "tmpfs", 0, ""),
		loopbackUp())
	if err == nil {
		err = syscall.Exec(os.Args[0], os.Args, []string{"PATH=/usr/sbin:/usr/bin:/sbin:/bin", "HOME=/run", "PYTHONDONTWRITEBYTECODE=1"})
	}
	fmt.Fprintln(os.Stderr, "enter:", err)
	return 125
}

func loopbackUp() error {
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

// dialIn connects inside a network namespace. A socket belongs to the namespace that its thread was in when it was made, so
// the thread goes there and comes back. It must not end instead, which would be simpler: the death of a thread is the
// death of the parent to the processes that it started (PR_SET_PDEATHSIG in prctl(2)).
func dialIn(ctx context.Context, netns *os.File, network, address string) (net.Conn, error) {
	runtime.LockOSThread()
	own, err := os.Open("/proc/thread-self/ns/net")
	if err != nil {
		return nil, err
	}
	defer own.Close()
	if err := unix.Setns(int(netns.Fd()), unix.CLONE_NEWNET); err != nil {
		return nil, err
	}
	connection, err := new(net.Dialer).DialContext(ctx, network, address)
	if err := unix.Setns(int(own.Fd()), unix.CLONE_NEWNET); err != nil {
		panic(err) // the thread is lost in the box
	}
	runtime.UnlockOSThread()
	return connection, err
}

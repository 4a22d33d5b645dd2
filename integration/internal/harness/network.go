package harness

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"runtime"

	"golang.org/x/sys/unix"
)

// RaiseLoopback brings lo up, which in a new network namespace is down.
func RaiseLoopback() error {
	socket, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fmt.Errorf("cannot open a socket: %w", err)
	}
	defer unix.Close(socket)
	lo, err := unix.NewIfreq("lo")
	if err != nil {
		return err
	}
	lo.SetUint16(unix.IFF_UP | unix.IFF_RUNNING)
	if err := unix.IoctlIfreq(socket, unix.SIOCSIFFLAGS, lo); err != nil {
		return fmt.Errorf("cannot bring lo up: %w", err)
	}
	return nil
}

// joinNetwork brings this thread into the network of another process. The thread becomes the program: execve(2) keeps the namespaces
// of its caller.
func joinNetwork(pid int) error {
	ns, err := os.Open(fmt.Sprintf("/proc/%d/ns/net", pid))
	if err != nil {
		return err
	}
	defer ns.Close()
	if err := unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err != nil {
		return fmt.Errorf("cannot enter the network of process %d: %w", pid, err)
	}
	return nil
}

// Dial connects inside the box's network.
func (i *Init) Dial(ctx context.Context, network, address string) (connection net.Conn, err error) {
	err = i.within(func() (err error) {
		connection, err = new(net.Dialer).DialContext(ctx, network, address)
		return err
	})
	return connection, err
}

// Listen listens inside the box's network.
func (i *Init) Listen(network, address string) (listener net.Listener, err error) {
	err = i.within(func() (err error) {
		listener, err = net.Listen(network, address)
		return err
	})
	return listener, err
}

// within makes a socket inside the box's network. A socket belongs to the namespace that its thread was in when it was made, so the
// thread goes there and comes back. It must not end instead, which would be simpler: the death of a thread is the death of the
// parent to the processes that it started (PR_SET_PDEATHSIG in prctl(2)).
func (i *Init) within(make func() error) error {
	if i.netns == nil {
		return errors.New("cannot enter the box's network: it ended too soon")
	}
	runtime.LockOSThread()
	own, err := os.Open("/proc/thread-self/ns/net")
	if err == nil {
		defer own.Close()
		err = unix.Setns(int(i.netns.Fd()), unix.CLONE_NEWNET)
	}
	if err != nil {
		runtime.UnlockOSThread()
		return fmt.Errorf("cannot enter the box's network: %w", err)
	}
	err = make()
	if err := unix.Setns(int(own.Fd()), unix.CLONE_NEWNET); err != nil {
		panic(err) // the thread is lost in the box
	}
	runtime.UnlockOSThread()
	return err
}

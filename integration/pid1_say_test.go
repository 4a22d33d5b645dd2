package integration

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// say is a role: it sends each argument to $NOTIFY_SOCKET and waits until confit has looked at all of them, as
// systemd-notify(1) does: at a barrier, which is a descriptor that is closed by whom it was sent to.
func say() int {
	read, write, err := os.Pipe()
	if err != nil {
		return sayFailed(err)
	}
	if err := send(unix.UnixRights(int(write.Fd())), append(os.Args[1:], "BARRIER=1")...); err != nil {
		return sayFailed(err)
	}
	write.Close()
	_, _ = io.ReadAll(read)
	return 0
}

// shout is a role: it sends each argument and leaves at once.
func shout() int {
	if err := send(nil, os.Args[1:]...); err != nil {
		return sayFailed(err)
	}
	return 0
}

// babble is a role: it never stops sending.
func babble() int {
	for {
		if err := send(nil, "STATUS=babbling", "READY=1", "nonsense"); err != nil {
			return sayFailed(err)
		}
	}
}

func sayFailed(err error) int {
	fmt.Fprintln(os.Stderr, "say:", err)
	return 1
}

// send gives the control message to the last one.
func send(control []byte, texts ...string) error {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	to := &unix.SockaddrUnix{Name: os.Getenv("NOTIFY_SOCKET")}
	for i, text := range texts {
		var with []byte
		if i == len(texts)-1 {
			with = control
		}
		if err := unix.Sendmsg(fd, []byte(text), with, to, 0); err != nil {
			return fmt.Errorf("cannot send %q to %q: %w", text, to.Name, err)
		}
	}
	return nil
}

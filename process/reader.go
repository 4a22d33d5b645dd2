package process

import (
	"os"

	"golang.org/x/sys/unix"
)

// Unread returns a channel that is closed when nobody reads any more what is written to a file: the
// other end of a pipe or socket is closed, or a terminal was hung up. Of any other file it never is.
func Unread(f *os.File) <-chan struct{} {
	unread := make(chan struct{})
	poll := []unix.PollFd{{Fd: int32(f.Fd())}} // HUP and ERR come unasked: poll(2)
	go func() {
		for {
			if n, err := unix.Ppoll(poll, nil, nil); n > 0 || err != nil && err != unix.EINTR {
				close(unread)
				return
			}
		}
	}()
	return unread
}

//go:build unix

package scripted

import (
	"net"
	"strconv"
	"syscall"
)

// hold takes an address from others until it is freed, by a socket that doesn't listen.
func hold() (l *line, err error) {
	held, err := syscall.Socket(syscall.AF_INET, syscall.SOCK_STREAM, 0)
	if err != nil {
		return nil, err
	}
	syscall.CloseOnExec(held)
	err = syscall.SetsockoptInt(held, syscall.SOL_SOCKET, syscall.SO_REUSEADDR, 1)
	if err == nil {
		err = syscall.Bind(held, &syscall.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}})
	}
	if err != nil {
		return nil, err
	}
	at, err := syscall.Getsockname(held)
	if err != nil {
		return nil, err
	}
	free := func() { _ = syscall.Close(held) } // it was never used
	return &line{address: net.JoinHostPort("127.0.0.1", strconv.Itoa(at.(*syscall.SockaddrInet4).Port)), free: free}, nil
}

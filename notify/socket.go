// Package notify knows the protocol of sd_notify(3), in which an app says that
// it is ready, and the datagram socket that this comes through.
//
// It guarantees that the sender of a message is whom the kernel names
// (SCM_CREDENTIALS of unix(7)); that no descriptor which comes with one is ever
// held; that nothing is kept here, so that no flood makes confit grow: what
// isn't taken yet waits in the socket's queue, and who sends into a full one
// waits; and that a message is taken before the next one is looked at, so that
// a sender who waits at a barrier (sd_notify_barrier(3)) is still there when
// what it said before is judged.
//
// It doesn't know who may say what: that is asked of package process. It knows
// no other files.
//
// Its system calls are those of package syscall: x/sys/unix would bring the
// addresses of thirty families of sockets along, 24 KiB more.
package notify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// longestPath is how long a path may be for an app to name it, in bytes:
// sun_path of unix(7) less the zero at its end.
const longestPath = 107

// longestMessage is how long a message may be, in bytes. It is systemd's bound.
const longestMessage = 4096

// Socket receives messages.
type Socket struct {
	path  string
	file  *os.File
	conn  syscall.RawConn
	hints chan struct{}
	end   chan struct{} // closed by Close
}

// Listen makes the socket, in place of one that an earlier confit left behind.
// Everybody may send: an app may run as any user, and who sent a message is
// known from the kernel.
func Listen(path string) (*Socket, error) {
	file, err := bind(path)
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", path, err)
	}
	conn, err := file.SyscallConn()
	if err != nil {
		return nil, fmt.Errorf("cannot listen on %q: %w", path, err)
	}
	s := &Socket{path: path, file: file, conn: conn, hints: make(chan struct{}), end: make(chan struct{})}
	go s.hint()
	return s, nil
}

func bind(path string) (*os.File, error) {
	if len(path) > longestPath {
		return nil, fmt.Errorf("the path has %d bytes: choose one of at most %d, as apps can't name a longer one", len(path), longestPath)
	}
	if err := removeStale(path); err != nil {
		return nil, err
	}
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_DGRAM|syscall.SOCK_NONBLOCK|syscall.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	file := os.NewFile(uintptr(fd), path) // non-blocking: it goes to the runtime's poller
	err = syscall.SetsockoptInt(fd, syscall.SOL_SOCKET, syscall.SO_PASSCRED, 1)
	if err == nil {
		err = bindForAll(fd, path)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// bindForAll makes the socket with its mode at once, unix(7): a chmod(2) after
// that would follow a link which somebody has put in its place. The umask is
// the whole process's, and nobody else makes a file yet.
func bindForAll(fd int, path string) error {
	defer syscall.Umask(syscall.Umask(0o111))
	return syscall.Bind(fd, &syscall.SockaddrUnix{Name: path})
}

// removeStale removes a socket, and nothing else.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode().Type() != fs.ModeSocket:
		return errors.New("something that isn't a socket is in its place: remove it")
	}
	return syscall.Unlink(path)
}

// Hints delivers a value when there may be something to receive.
func (s *Socket) Hints() <-chan struct{} { return s.hints }

// hint runs as long as the socket. It doesn't receive: the messages stay in the
// kernel's queue until they are asked for.
func (s *Socket) hint() {
	for s.conn.Read(readable) == nil {
		select {
		case s.hints <- struct{}{}:
		case <-s.end:
			return
		}
	}
}

func readable(fd uintptr) bool {
	_, _, err := syscall.Recvfrom(int(fd), nil, syscall.MSG_PEEK)
	return err == nil
}

// Receive takes the next message; false means that none waits. A message that
// says nothing which confit knows is one, too: so a caller who counts isn't held
// up by any number of them.
func (s *Socket) Receive() (m Message, ok bool) {
	err := s.conn.Control(func(fd uintptr) { m, ok = receive(int(fd)) }) // Read would wait for hint to end
	return m, ok && err == nil
}

// receive leaves room for the sender's credentials alone, which the kernel
// writes first. Descriptors find none, and what finds none is closed (unix(7)):
// that is what passes a barrier, and what FDSTORE=1 gets.
func receive(fd int) (Message, bool) {
	text := make([]byte, longestMessage)
	control := make([]byte, syscall.CmsgSpace(syscall.SizeofUcred))
	for {
		n, controls, flags, _, err := syscall.Recvmsg(fd, text, control, 0)
		switch {
		case err == syscall.EINTR:
			continue
		case err != nil:
			return Message{}, false
		case flags&syscall.MSG_TRUNC != 0: // its last line may be half of one
			n = 0
		}
		m := parse(string(text[:n]))
		m.PID = sender(control[:controls])
		return m, true
	}
}

// sender is the pid in the credentials, or 0.
func sender(control []byte) int {
	messages, err := syscall.ParseSocketControlMessage(control)
	if err != nil || len(messages) != 1 {
		return 0
	}
	credentials, err := syscall.ParseUnixCredentials(&messages[0])
	if err != nil {
		return 0
	}
	return int(credentials.Pid)
}

// Close removes the socket.
func (s *Socket) Close() error {
	close(s.end)
	return errors.Join(os.Remove(s.path), s.file.Close())
}

// Package notify knows the protocol of sd_notify(3), by which an app says that it is ready, and the
// datagram socket for it.
//
// It guarantees four things. The kernel names the sender of a message (SCM_CREDENTIALS of unix(7)).
// No descriptor that comes with a message is ever held. No flood makes confit grow: messages wait
// in the socket's queue, and a sender that finds it full waits. Messages are taken one by one, so a
// sender that waits at a barrier (sd_notify_barrier(3)) still lives when what it said before is
// judged.
//
// It doesn't know whose messages count: package process is asked for that. It knows no other files.
//
// It uses package syscall, as x/sys/unix would add 24 KiB for the addresses of thirty families of
// sockets.
package notify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync/atomic"
	"syscall"
)

// maxPath is the longest path that an app can name, in bytes: sun_path of unix(7) less the zero at
// its end.
const maxPath = 107

// maxMessage is the longest message, in bytes, as in systemd.
const maxMessage = 4096

// Socket receives messages. But for Renew all is called by one goroutine.
type Socket struct {
	path  string
	wakes chan struct{}
	bound atomic.Pointer[bound]
}

// bound is what has the socket's name.
type bound struct {
	file *os.File
	conn syscall.RawConn
	name syscall.Stat_t
}

// Listen makes the socket, in place of one that an earlier confit left behind. All users may send,
// as an app may run as any user.
func Listen(path string) (*Socket, error) {
	s := &Socket{path: path, wakes: make(chan struct{})}
	return s, s.Renew()
}

// Holds reports that apps still find the socket by its path.
func (s *Socket) Holds() bool {
	was, now := &s.bound.Load().name, syscall.Stat_t{}
	return syscall.Lstat(s.path, &now) == nil && now.Dev == was.Dev && now.Ino == was.Ino
}

// Renew makes another socket for the path. What waits in the former one is gone.
func (s *Socket) Renew() error {
	b := &bound{}
	err := error(nil)
	if b.file, err = bind(s.path); err == nil {
		err = syscall.Lstat(s.path, &b.name)
	}
	if err != nil {
		return fmt.Errorf("cannot listen on %q: %w", s.path, err)
	}
	b.conn, _ = b.file.SyscallConn() // fails only for a file that was closed
	if former := s.bound.Swap(b); former != nil {
		former.file.Close()
	}
	go s.watch(b.conn)
	return nil
}

func bind(path string) (*os.File, error) {
	if len(path) > maxPath {
		return nil, fmt.Errorf("the path has %d bytes: choose one of at most %d, as apps can't name a longer one",
			len(path), maxPath)
	}
	if info, err := os.Lstat(path); err == nil && info.Mode().Type() != fs.ModeSocket {
		return nil, errors.New("something that isn't a socket is in its place: remove it")
	}
	_ = syscall.Unlink(path) // as a rule there is none
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

// bindForAll makes the socket with its mode, unix(7): a later chmod(2) would follow a link in its
// place. The umask is the whole process's: no other is started meanwhile that would inherit it, and
// what confit makes itself doesn't depend on it.
func bindForAll(fd int, path string) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	defer syscall.Umask(syscall.Umask(0o111))
	return syscall.Bind(fd, &syscall.SockaddrUnix{Name: path})
}

// Hints delivers a value when there may be something to receive.
func (s *Socket) Hints() <-chan struct{} { return s.wakes }

// watch runs as long as the socket lives. It takes nothing: the messages stay in the kernel's queue
// until Receive.
func (s *Socket) watch(conn syscall.RawConn) {
	for conn.Read(readable) == nil {
		s.wakes <- struct{}{}
	}
}

func readable(fd uintptr) bool {
	_, _, err := syscall.Recvfrom(int(fd), nil, syscall.MSG_PEEK)
	return err == nil
}

// Receive takes the next message, also one of which confit knows nothing: so a caller can bound how
// many it takes at once. It returns false when none waits.
func (s *Socket) Receive() (m Message, ok bool) {
	// Read would wait for watch to end
	err := s.bound.Load().conn.Control(func(fd uintptr) { m, ok = receive(int(fd)) })
	return m, ok && err == nil
}

// receive has room for the sender's credentials alone, which the kernel writes first. So the kernel
// closes all descriptors (unix(7)), which passes a barrier. FDSTORE=1 stores nothing.
func receive(fd int) (Message, bool) {
	text := make([]byte, maxMessage)
	control := make([]byte, syscall.CmsgSpace(syscall.SizeofUcred))
	n, controls, flags, _, err := syscall.Recvmsg(fd, text, control, 0)
	if err != nil {
		return Message{}, false
	}
	if flags&syscall.MSG_TRUNC != 0 { // its last line may be cut
		n = 0
	}
	m := parse(string(text[:n]))
	messages, err := syscall.ParseSocketControlMessage(control[:controls])
	if err == nil && len(messages) == 1 {
		if sender, err := syscall.ParseUnixCredentials(&messages[0]); err == nil {
			m.PID = int(sender.Pid)
		}
	}
	return m, true
}

const (
	// variable names the socket to an app, sd_notify(3).
	variable = "NOTIFY_SOCKET"
	// socketName is the socket's name in the state directory.
	socketName = "notify"
)

// Offer makes a socket in the state directory and adds its path to an app's environment. If the
// environment names one already, it returns that and nil: the app talks to the program that has
// started confit. So does it with an error.
func Offer(environ []string, state string) ([]string, *Socket, error) {
	var others []string
	for _, pair := range environ {
		name, value, _ := strings.Cut(pair, "=")
		if name == variable && value != "" {
			return environ, nil, nil
		}
		if name != variable {
			others = append(others, pair)
		}
	}
	s, err := Listen(path.Join(state, socketName))
	if err != nil {
		return environ, nil, err
	}
	return append(others, variable+"="+s.path), s, nil
}

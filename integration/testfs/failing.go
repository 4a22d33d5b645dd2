package testfs

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Call is a system call that reads something of a file.
type Call struct {
	Name string // of the system call
	Path string // of the file, absolute
}

// fstatat is newfstatat(2), which has a name of its own on each platform.
var fstatat = map[string]int{"amd64": 262, "arm64": 79}[runtime.GOARCH]

// reading are the system calls by which Go's library and x/sys look at files and read them. The others know a file by its descriptor.
var reading = map[int]string{
	unix.SYS_OPENAT: "openat", fstatat: "fstatat", unix.SYS_READLINKAT: "readlinkat",
	unix.SYS_FSTAT: "fstat", unix.SYS_READ: "read", unix.SYS_GETDENTS64: "getdents64", unix.SYS_FSTATFS: "fstatfs",
}

// named are those that take a directory and a name in it.
func named(name string) bool { return strings.HasSuffix(name, "at") && name != "fstat" }

// Failing runs f on a thread whose reading calls are shown to decide first: the kernel makes those for which that is 0, the others fail with
// its errno. The thread ends with it.
func Failing(t testing.TB, decide func(Call) syscall.Errno, f func()) {
	t.Helper()
	deciding(t, func(r *request) response {
		if errno := decide(callOf(r)); errno != 0 {
			return response{errno: -int32(errno)}
		}
		return response{flags: letKernel}
	}, f)
}

// Following runs f on a thread for which openat(2) follows a last symlink where it is given O_DIRECTORY and O_NOFOLLOW, as in gVisor. The thread
// ends with it.
func Following(t testing.TB, f func()) {
	t.Helper()
	const both = unix.O_DIRECTORY | unix.O_NOFOLLOW
	deciding(t, func(r *request) response {
		if reading[int(r.nr)] != "openat" || r.args[2]&both != both {
			return response{flags: letKernel}
		}
		fd, err := unix.Openat(int(int32(r.args[0])), stringAt(uintptr(r.args[1])), int(r.args[2])&^unix.O_NOFOLLOW, 0)
		if err != nil {
			return response{errno: -int32(err.(syscall.Errno))}
		}
		return response{val: int64(fd)} // the threads of a process share their descriptors
	}, f)
}

// Appearing runs f on a thread for which each open file is on another kind of file system: fstatfs(2). The thread ends with it.
func Appearing(t testing.TB, kind uint32, f func()) {
	t.Helper()
	deciding(t, func(r *request) response {
		if reading[int(r.nr)] != "fstatfs" {
			return response{flags: letKernel}
		}
		var st unix.Statfs_t
		err := unix.Fstatfs(int(r.args[0]), &st)
		*(*uint32)(unsafe.Pointer(&st)) = kind // the first field, of another width on each platform
		if err == nil {
			from := []unix.Iovec{{Base: (*byte)(unsafe.Pointer(&st))}}
			from[0].SetLen(int(unsafe.Sizeof(st)))
			_, err = unix.ProcessVMWritev(os.Getpid(), from, []unix.RemoteIovec{{Base: uintptr(r.args[1]), Len: int(unsafe.Sizeof(st))}}, 0)
		}
		if err != nil {
			return response{errno: -int32(err.(syscall.Errno))}
		}
		return response{}
	}, f)
}

// deciding runs f on a thread whose reading calls wait for an answer: SECCOMP_RET_USER_NOTIF of seccomp_unotify(2).
func deciding(t testing.TB, decide func(*request) response, f func()) {
	t.Helper()
	over, listening := make(chan struct{}), make(chan int)
	onThread(func() {
		defer close(over)
		listener, err := listen()
		if err != nil {
			t.Errorf("cannot have system calls decided: %v", err)
			close(listening)
			return
		}
		listening <- listener
		f()
	})
	if listener, isOpen := <-listening; isOpen {
		answer(listener, decide)
		unix.Close(listener)
	}
	<-over
	if t.Failed() {
		t.FailNow() // f has ended by the same
	}
}

// onThread runs f on a thread of its own, which ends with it. The first one of a process doesn't.
func onThread(f func()) {
	go func() {
		runtime.LockOSThread()
		if unix.Gettid() != os.Getpid() {
			f()
			return
		}
		began := make(chan struct{})
		onThread(func() { close(began); f() })
		<-began // until then no other goroutine gets this thread
		runtime.UnlockOSThread()
	}()
}

// listen has the calls of this thread wait for an answer that is given by what it returns.
func listen() (fd int, err error) {
	filter := []unix.SockFilter{{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}} // the number of the call
	for nr := range reading {
		filter = append(filter, unix.SockFilter{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: uint32(nr), Jf: 1},
			unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_USER_NOTIF})
	}
	filter = append(filter, unix.SockFilter{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return 0, err
	}
	made, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER, unix.SECCOMP_FILTER_FLAG_NEW_LISTENER, uintptr(unsafe.Pointer(&program)))
	if errno != 0 {
		return 0, errno
	}
	return int(made), nil
}

// request and response are seccomp_notif and seccomp_notif_resp.
type request struct {
	id         uint64
	pid, flags uint32
	nr         int32
	arch       uint32
	at         uint64
	args       [6]uint64
}

type response struct {
	id    uint64
	val   int64
	errno int32
	flags uint32
}

const (
	receive   = 0xc0502100 // SECCOMP_IOCTL_NOTIF_RECV
	send      = 0xc0182101 // SECCOMP_IOCTL_NOTIF_SEND
	letKernel = 1          // SECCOMP_USER_NOTIF_FLAG_CONTINUE
)

// answer decides each call until the thread has ended.
func answer(listener int, decide func(*request) response) {
	for {
		ready := []unix.PollFd{{Fd: int32(listener), Events: unix.POLLIN}}
		if _, err := unix.Poll(ready, -1); err != nil && err != unix.EINTR || ready[0].Revents&unix.POLLHUP != 0 {
			return
		}
		var r request
		if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(listener), receive, uintptr(unsafe.Pointer(&r))); errno != 0 {
			continue // the call was interrupted
		}
		a := decide(&r)
		a.id = r.id
		_, _, _ = unix.Syscall(unix.SYS_IOCTL, uintptr(listener), send, uintptr(unsafe.Pointer(&a)))
	}
}

// callOf reads what a call is about, while it waits.
func callOf(r *request) Call {
	c := Call{Name: reading[int(r.nr)]}
	at := "/"
	if fd := int32(r.args[0]); fd >= 0 {
		at, _ = os.Readlink("/proc/self/fd/" + strconv.Itoa(int(fd)))
	}
	c.Path = at
	if named(c.Name) {
		name := stringAt(uintptr(r.args[1]))
		if c.Path = name; !filepath.IsAbs(name) {
			c.Path = filepath.Join(at, name)
		}
	}
	return c
}

// stringAt is a string of this process that ends with a NUL. It is read up to the ends of pages: what follows may not be mapped.
func stringAt(address uintptr) string {
	var text []byte
	for page := uintptr(os.Getpagesize()); len(text) < unix.PathMax; {
		from := address + uintptr(len(text))
		buf := make([]byte, min(256, page-from%page))
		to := []unix.Iovec{{Base: &buf[0]}}
		to[0].SetLen(len(buf))
		if _, err := unix.ProcessVMReadv(os.Getpid(), to, []unix.RemoteIovec{{Base: from, Len: len(buf)}}, 0); err != nil {
			break
		}
		if before, _, ends := bytes.Cut(buf, []byte{0}); ends {
			return string(append(text, before...))
		}
		text = append(text, buf...)
	}
	return string(text)
}

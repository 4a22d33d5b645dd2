// Package testfs has the file systems and kernels that the linker meets, for tests
// of it and of the packages below. No program is linked with it. It needs root.
package testfs

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
)

// All are the file systems and kernels that steps meet: a directory of
// a disk or a tmpfs, kernels that can't exchange names, and overlayfs, where what
// was there before is in a lower layer. seal is called when that is prepared.
var All = map[string]func(t *testing.T, f func(dir string, seal func())){
	"as it is": func(t *testing.T, f func(string, func())) { f(t.TempDir(), func() {}) },
	"no renameat2": func(t *testing.T, f func(string, func())) {
		Refusing(t, unix.ENOSYS, unix.SYS_RENAMEAT2, func() { f(t.TempDir(), func() {}) })
	},
	"renameat2 not permitted": func(t *testing.T, f func(string, func())) {
		Refusing(t, unix.EPERM, unix.SYS_RENAMEAT2, func() { f(t.TempDir(), func() {}) })
	},
	"no exchange": func(t *testing.T, f func(string, func())) { // NFS
		Refusing(t, unix.EINVAL, unix.SYS_RENAMEAT2, func() { f(t.TempDir(), func() {}) })
	},
	"overlayfs": func(t *testing.T, f func(string, func())) {
		dir := t.TempDir()
		f(dir, func() { overlay(t, dir) })
	},
}

// Everywhere runs a test on all of them.
func Everywhere(t *testing.T, f func(t *testing.T, dir string, seal func())) {
	for name, in := range All {
		t.Run(name, func(t *testing.T) {
			in(t, func(dir string, seal func()) { f(t, dir, seal) })
		})
	}
}

// Refusing runs f on a thread for which the kernel refuses a system call, as a
// seccomp profile has it: seccomp(2). The thread ends with it.
func Refusing(t *testing.T, errno syscall.Errno, call uint32, f func()) {
	t.Helper()
	over := make(chan struct{})
	go func() {
		defer close(over)
		runtime.LockOSThread()
		filter := []unix.SockFilter{
			{Code: unix.BPF_LD | unix.BPF_W | unix.BPF_ABS}, // the number of the call
			{Code: unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K, K: call, Jf: 1},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ERRNO | uint32(errno)},
			{Code: unix.BPF_RET | unix.BPF_K, K: unix.SECCOMP_RET_ALLOW},
		}
		program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
		err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
		if err == nil {
			err = unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0)
		}
		if err != nil {
			t.Errorf("cannot refuse system calls: %v", err)
			return
		}
		f()
	}()
	<-over
	if t.Failed() {
		t.FailNow() // f has ended by the same
	}
}

// overlay mounts an overlayfs on a directory, whose lower layer is what the
// directory holds now.
func overlay(t *testing.T, dir string) {
	t.Helper()
	top := t.TempDir()
	Mount(t, "tmpfs", top, "tmpfs", "")
	upper, work := filepath.Join(top, "upper"), filepath.Join(top, "work")
	if err := os.Mkdir(upper, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(work, 0o755); err != nil {
		t.Fatal(err)
	}
	Mount(t, "overlay", dir, "overlay", "lowerdir="+dir+",upperdir="+upper+",workdir="+work)
}

// Mount mounts something until the test ends.
func Mount(t *testing.T, source, dir, kind, options string) {
	t.Helper()
	if err := unix.Mount(source, dir, kind, 0, options); err != nil {
		t.Fatalf("cannot mount %s: %v", kind, err)
	}
	t.Cleanup(func() { _ = unix.Unmount(dir, unix.MNT_DETACH) })
}

// Owner is the number of the user who owns a file.
func Owner(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Uid }

// Group is the number of a file's group.
func Group(info fs.FileInfo) uint32 { return info.Sys().(*syscall.Stat_t).Gid }

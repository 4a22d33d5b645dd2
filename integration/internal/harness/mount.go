package harness

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Mount is one change of a box's file system. Make it with Bind, Tmpfs, ReadOnly or StrictAtime.
type Mount struct {
	From, Path string
	Tmpfs      bool
	Flags      uintptr
	Options    string
}

// Bind shows what is elsewhere at a path. The directory is made if it is missing.
func Bind(from, path string) Mount { return Mount{From: from, Path: path, Flags: unix.MS_BIND} }

// Tmpfs mounts an empty file system; the options are those of tmpfs(5).
func Tmpfs(path, options string) Mount { return Mount{Path: path, Tmpfs: true, Options: options} }

// ReadOnly makes a directory one that can't be written to. What is mounted below it later can.
func ReadOnly(path string) Mount { return Mount{From: path, Path: path, Flags: unix.MS_RDONLY} }

// StrictAtime makes each look at a directory leave a trace.
func StrictAtime(path string) Mount {
	return Mount{From: path, Path: path, Flags: unix.MS_STRICTATIME}
}

func (m Mount) perform() error {
	switch {
	case m.Tmpfs:
		return mount("tmpfs", m.Path, "tmpfs", 0, m.Options)
	case m.Flags == unix.MS_BIND:
		if from, err := os.Stat(m.From); err == nil && from.IsDir() {
			if err := os.MkdirAll(m.Path, 0o755); err != nil {
				return err
			}
		}
		return mount(m.From, m.Path, "", unix.MS_BIND, "")
	}
	if m.Path != "/" { // the root can't be covered: only its flags change
		if err := mount(m.Path, m.Path, "", unix.MS_BIND, ""); err != nil {
			return err
		}
	}
	return mount("none", m.Path, "", unix.MS_BIND|unix.MS_REMOUNT|m.Flags, "")
}

func (b interior) mounts() error {
	err := errors.Join(mount("none", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""), mount("proc", filepath.Join("/", b.Root, "proc"), "proc", 0, ""))
	if err != nil {
		return err
	}
	if b.Root != "" {
		if err := errors.Join(unix.Chroot(b.Root), os.Chdir("/")); err != nil {
			return fmt.Errorf("cannot make %q the root directory: %w", b.Root, err)
		}
	}
	for _, m := range b.Mounts {
		if err := m.perform(); err != nil {
			return err
		}
	}
	if b.NoProc {
		return mount("tmpfs", "/proc", "tmpfs", 0, "")
	}
	return nil
}

func mount(source, target, kind string, flags uintptr, options string) error {
	if err := unix.Mount(source, target, kind, flags, options); err != nil {
		return fmt.Errorf("cannot mount %q on %q: %w", source, target, err)
	}
	return nil
}

const terminationLogPath = "/dev/termination-log"

// terminationLog gives the box a /dev of its own with the log that the kubelet mounts there. Without one it does so only where the
// machine has one that a test must not write to.
func (b interior) terminationLog() error {
	_, err := os.Lstat(terminationLogPath)
	if b.TerminationLog == "" && errors.Is(err, os.ErrNotExist) {
		return nil
	}
	shm, err := unix.Open("/dev/shm", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(shm)
	if err := mount("tmpfs", "/dev", "tmpfs", 0, "mode=0755"); err != nil {
		return err
	}
	err = errors.Join(device("null", 1, 3), device("zero", 1, 5), device("urandom", 1, 9), os.Mkdir("/dev/shm", 0o777),
		mount(fmt.Sprintf("/proc/self/fd/%d", shm), "/dev/shm", "", unix.MS_BIND, ""),
		os.Symlink("/proc/self/fd/1", "/dev/stdout"), os.Symlink("/proc/self/fd/2", "/dev/stderr"))
	if err != nil || b.TerminationLog == "" {
		return err
	}
	if err := os.WriteFile(terminationLogPath, nil, 0o666); err != nil {
		return err
	}
	return mount(b.TerminationLog, terminationLogPath, "", unix.MS_BIND, "")
}

func device(name string, major, minor uint32) error {
	path := filepath.Join("/dev", name)
	if err := unix.Mknod(path, unix.S_IFCHR|0o666, int(unix.Mkdev(major, minor))); err != nil {
		return err
	}
	return os.Chmod(path, 0o666)
}

package harness

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/sys/unix"
)

// silenceRole is the name of the part Silence.
const silenceRole = "silence"

// Silence is a part: it mounts a file system on a directory that never answers, until its input ends. FUSE waits for the answer
// to its first request before it lets anybody else ask, fuse(4).
func Silence() int {
	dir := os.Args[1]
	fd, err := unix.Open("/dev/fuse", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err == nil {
		err = unix.Mount("silence", dir, "fuse", unix.MS_NOSUID|unix.MS_NODEV, fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fd))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "silence:", err)
		return 1
	}
	fmt.Println("mounted")
	_, _ = io.ReadAll(os.Stdin)
	if err := unix.Unmount(dir, unix.MNT_DETACH); err != nil {
		fmt.Fprintln(os.Stderr, "silence:", err)
		return 1
	}
	return 0
}

// Silence makes a directory of the box, as it is seen from outside, hang for all in it. The program plays the part of that name. The
// directory answers again after the returned function is called.
func (r *Run) Silence(program, dir string) (answers func()) {
	r.t.Helper()
	cmd := r.Visit("-m", program, dir)
	cmd.Env = []string{RoleVariable + "=" + silenceRole}
	silent, err := Accompany(cmd)
	if err != nil {
		r.t.Fatalf("%v", err)
	}
	r.t.Cleanup(silent.Kill)
	if err := silent.Expect("mounted"); err != nil {
		r.t.Fatalf("%v", err)
	}
	return func() {
		if err := silent.End(); err != nil {
			r.t.Errorf("the mount: %v", err)
		}
	}
}

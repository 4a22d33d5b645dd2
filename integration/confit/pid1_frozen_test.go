//go:build check

package confit

import (
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// What ioctl_fs(2) has to stop all writing on a file system, and to let it go on.
const (
	freeze = 0xc0045877
	thaw   = 0xc0045878
)

// disk puts the state directory on a file system of its own, and returns what freezes that and lets it go on.
func (s *setup) disk() (do func(request uint)) {
	s.t.Helper()
	run := func(name string, args ...string) string {
		out, err := exec.Command(name, args...).CombinedOutput()
		if err != nil {
			s.t.Fatalf("%s: %v: %s", name, err, out)
		}
		return strings.TrimSpace(string(out))
	}
	image := s.path("disk")
	run("truncate", "-s", "16M", image)
	run("mkfs.ext4", "-q", image)
	loop := run("losetup", "--find", "--show", image)
	s.t.Cleanup(func() { run("losetup", "--detach", loop) })
	s.mkdir("state")
	if err := unix.Mount(loop, s.state, "ext4", 0, ""); err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() {
		if err := unix.Unmount(s.state, unix.MNT_DETACH); err != nil {
			s.t.Error(err)
		}
	})
	dir, err := os.Open(s.state)
	if err != nil {
		s.t.Fatal(err)
	}
	frozen := false
	do = func(request uint) {
		if (request == freeze) == frozen {
			return
		}
		if err := unix.IoctlSetInt(int(dir.Fd()), request, 0); err != nil {
			s.t.Fatal(err)
		}
		frozen = !frozen
	}
	s.t.Cleanup(func() { do(thaw); dir.Close() })
	return do
}

// The disk of the state directory hangs, and people send the app INT time and again, as that seems to hang, too. Each of them is
// something to write down, and so is the end of the time in which the app may stop. TERM reaches the app all the same, and what is
// written in the end is the latest.
func TestPID1_state_hangs(t *testing.T) {
	s, web := newProved(t)
	s.program = programs.shipped
	s.lines[1] = "reload restart"
	s.flag("--soak", "1h", "--stop-timeout", "20ms", "--allow-disk")
	do := s.disk()
	web.swap(keys{"text": "first"})
	c := s.start(s.printer("-exit", "TERM=7")...)
	c.accepts(1)
	c.Says("ready", 1)
	web.swap(keys{"text": "second"}) // with something to go back to, a kill would count
	c.accepts(2)
	c.Says("ready", 2)
	do(freeze)
	for n := range 40 {
		c.Signal(syscall.SIGINT)
		c.Says("signal INT", n+1)
		marked := time.Now()
		c.Eventually("the end of the time in which the app may stop", func() bool { return time.Since(marked) > 20*time.Millisecond })
		c.Signal(syscall.SIGWINCH)
		c.Says("signal WINCH", n+1)
	}
	c.Signal(syscall.SIGTERM)
	c.Says("signal TERM", 1)
	do(thaw)
	c.Ends(7)
}

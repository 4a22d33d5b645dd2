package confit

import (
	"encoding/binary"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// Thousands of other processes may run beside confit. It lists them only when the app may have left something behind: not to reload
// the app, to restart it, or to end with it.
func TestDrain_of_nothing_lists_no_process(t *testing.T) {
	for _, under := range []bool{false, true} {
		eachUser(t, map[bool]string{false: "first", true: "under"}[under], func(t *testing.T, s *setup) {
			s.box.Under = under
			s.line("link web/reload %s", s.target("reload"))
			s.line("link web/restart %s reload=restart", s.target("restart"))
			web := s.volume("web")
			web.swap(keys{"reload": "1", "restart": "1"})
			orphan := s.path("orphan")
			c := s.start("sh", "-c", `if [ -e "$0" ]; then rm "$0"; setsid sleep 765432$((1)) & fi
				trap 'echo reloaded' HUP; trap 'exit 7' TERM; echo ready; while :; do sleep 0.05; done`, orphan)
			c.Says("ready", 1)
			lists := c.lists()
			web.swap(keys{"reload": "2", "restart": "1"})
			c.Says("reloaded", 1)
			s.write(orphan, "") // of the next app
			web.swap(keys{"reload": "2", "restart": "2"})
			c.Says("ready", 2)
			c.logs("generation accepted", 3)
			c.wantCount("lists of all processes", lists(), 0)
			web.swap(keys{"reload": "2", "restart": "3"})
			c.Says("ready", 3)
			c.gone("sleep 7654321")
			if n := lists(); n == 0 {
				t.Error("an orphan was found without a list: nothing is shown")
			}
			lists()
			c.term()
			c.Ends(7)
			if !under { // there PID 1 lists what confit has left
				c.wantCount("lists of all processes at the end", lists(), 0)
			}
		})
	}
}

// lists begins to count how often somebody in the box lists its processes. Each call tells how often since the last one.
func (c *confit) lists() func() int {
	c.t.Helper()
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		c.t.Fatal(err)
	}
	seen := os.NewFile(uintptr(fd), "inotify")
	c.t.Cleanup(func() { seen.Close() })
	if _, err := unix.InotifyAddWatch(fd, c.Proc("root/proc"), unix.IN_OPEN); err != nil {
		c.t.Fatal(err)
	}
	return func() (n int) {
		buffer := make([]byte, 64<<10)
		size, _ := unix.Read(fd, buffer) // EAGAIN: nothing has happened
		for events := buffer[:max(size, 0)]; len(events) > 0; {
			mask, name := binary.NativeEndian.Uint32(events[4:]), binary.NativeEndian.Uint32(events[12:])
			if mask&unix.IN_OPEN != 0 && name == 0 { // of /proc itself
				n++
			}
			events = events[unix.SizeofInotifyEvent+name:]
		}
		return n
	}
}

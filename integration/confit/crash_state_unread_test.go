package confit

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// unreadable has each read of a file fail with EIO, as it is the memory of a process at address 0: proc_pid_mem(5). The function that it
// returns ends that.
func (s *setup) unreadable(path string) (end func()) {
	s.t.Helper()
	if err := unix.Mount("/proc/self/mem", path, "", unix.MS_BIND, ""); err != nil {
		s.t.Fatal(err)
	}
	isOver := false
	end = func() {
		if isOver {
			return
		}
		isOver = true
		if err := unix.Unmount(path, unix.MNT_DETACH); err != nil {
			s.t.Error(err)
		}
	}
	s.t.Cleanup(end)
	return end
}

// The note can't be read. The container starts on what is mounted, and says that it notes nothing; without a gate it takes an edit up, with
// one none. The next container has all that was accepted.
func TestState_unread(t *testing.T) {
	t.Parallel()
	for name, gated := range map[string]bool{"edit": false, "gate": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newProved(t)
			web.swap(keys{"text": "first"})
			s.line("validate sh -c 'grep -qv bad $1/web/text' sh {candidate}")
			if gated {
				s.line("gate true")
			}
			s.flag("--rescan", "100ms")
			c := s.start(s.printer()...)
			c.accepts(1)
			c.Says("ready", 1)
			c.stops(0)
			accepted := s.read(filepath.Join(s.state, "note.json"))

			end := s.unreadable(filepath.Join(s.state, "note.json"))
			c = s.start(s.printer()...)
			c.Says("ready", 1)
			c.logs("this container notes nothing, and leaves all that is noted to the next one", 1)
			web.swap(keys{"text": "second"})
			if gated {
				c.tells(3, "why no edit is taken", func(st report) bool { return strings.HasPrefix(st.Trouble, "cannot read what a former confit left: ") })
			} else {
				c.Says("read second", 1)
			}
			c.Eventually("what to do", func() bool {
				said, _ := exec.Command(programs.shipped, "--status=text", "--state", s.state).Output()
				return strings.Contains(string(said), "restart the container once that can be read")
			})
			c.stops(0)
			end()
			if now := s.read(filepath.Join(s.state, "note.json")); now != accepted {
				t.Errorf("the note is %s, was %s", now, accepted)
			}
			web.swap(keys{"text": "bad"})
			c = s.start(s.printer()...)
			c.Says("read first", 1)
		})
	}
}

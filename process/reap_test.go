package process

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

const (
	crowd     = 50 // how many of them, and of what they left behind, may live at a time
	hookEvery = 10 // every how many-th is a hook
	leftEvery = 20 // every how many-th is a hook that leaves a child behind
)

// storm counts children that come and go.
type storm struct {
	*nursery
	out   *os.File
	alive map[int]int // the exit code that is expected of each pid
	left  int         // what hooks left behind, and hasn't been reaped
}

// TestStorm: 5,000 children, or 500 with -short, some of them hooks, end as soon as they begin. Each is
// handed out once, with its own exit code, and nothing that the hooks leave behind
// lives on. Only SIGCHLD wakes the reaper, so a lost wake would fail the test, too.
func TestStorm(t *testing.T) {
	alone(t, func(t *testing.T) {
		null, err := os.OpenFile(os.DevNull, os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer null.Close()
		s := &storm{nursery: newNursery(t), out: null, alive: map[int]int{}}
		s.ended = s.end
		size := 5000
		if testing.Short() {
			size = 500
		}
		for i := range size {
			s.until("there is room", func() bool { return len(s.alive)+s.left < crowd })
			s.begin(i)
		}
		s.until("all have ended", func() bool { return len(s.alive)+s.left == 0 })
		if len(s.family.hooks) > 0 { // or a stranger that is given the number anew is taken for a hook
			t.Errorf("%d hooks are remembered", len(s.family.hooks))
		}
	})
}

func (s *storm) begin(i int) {
	code := i % 256
	exit := fmt.Sprint("exit ", code)
	switch {
	case i%leftEvery == 0:
		s.left++
		s.alive[s.hook(s.out, shellScript("sleep 300 & "+exit)...)] = code
	case i%hookEvery == 0:
		s.alive[s.hook(s.out, shellScript(exit)...)] = code
	default:
		s.alive[s.app(shellScript(exit)...)] = code
	}
}

// end checks one death: a child that was started ends with its code, one that a
// hook left behind is killed.
func (s *storm) end(e Exit) {
	if code, ok := s.alive[e.PID]; ok {
		delete(s.alive, e.PID)
		if want := fmt.Sprint("exit ", code); e.Status.String() != want {
			s.t.Errorf("pid %d ended with %v, want %s", e.PID, e.Status, want)
		}
		return
	}
	s.left--
	if e.Status.Signal() != unix.SIGKILL {
		s.t.Errorf("pid %d, which nobody started, ended with %v", e.PID, e.Status)
	}
}

// TestHooksGroupEndsWithIt: a process in a hook's group is killed when the hook
// ends, whatever it does about signals. One that has left the group lives on.
func TestHooksGroupEndsWithIt(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		gate := t.TempDir() + "/gate"
		if err := unix.Mkfifo(gate, 0o600); err != nil {
			t.Fatal(err)
		}
		r, w := pipe(t)
		hook := n.hook(w, shellScript(`(trap "" HUP INT QUIT TERM; exec sleep 300) & echo $!
			setsid sh -c 'echo $$; exec sleep 300' & read x <`+gate+`; exit 3`)...)
		w.Close()
		left, gone := number(t, r), number(t, r)
		n.reap()
		if err := Kill(left, 0); err != nil || len(n.ends) > 0 {
			t.Fatalf("before the hook has ended: %v, reaped %v", err, n.ends)
		}
		if err := os.WriteFile(gate, []byte("\n"), 0); err != nil {
			t.Fatal(err)
		}
		n.until("the hook and its child have ended", func() bool { return len(n.ends) == 2 })
		n.wantEnd(hook, "exit 3")
		n.wantEnd(left, "signal 9")
		if err := Kill(gone, unix.SIGTERM); err != nil {
			t.Errorf("what left the group: %v", err)
		}
		n.until("the last has ended", func() bool { return len(n.ends) == 3 })
		n.wantEnd(gone, "signal 15")
	})
}

// TestHookSignal: it reaches a hook with its group. Once the hook was reaped it kills
// nobody, even if somebody has the hook's number.
func TestHookSignal(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		r, w := pipe(t)
		hook := n.hook(w, shellScript("sleep 300 & echo 1; wait")...)
		w.Close()
		number(t, r)
		h := n.family.hooks[hook]
		h.Signal(unix.SIGKILL)
		n.until("both have ended", func() bool { return len(n.ends) == 2 })
		n.wantEnd(hook, "signal 9")

		r, w = pipe(t)
		stranger := n.talking(w, "echo 1; exec sleep 300")
		number(t, r)
		h.Signal(unix.SIGKILL) // no test can make a group with a given number
		if h.Group() != 0 {
			t.Errorf("a hook that was reaped has group %d", h.Group())
		}
		if err := Kill(stranger, syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		n.until("it has ended", func() bool { return len(n.ends) == 3 })
		n.wantEnd(stranger, "signal 15")
	})
}

// TestAppsGroupLivesOn: only a hook's group ends with its leader.
func TestAppsGroupLivesOn(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		r, w := pipe(t)
		app := n.talking(w, `sleep 300 & echo $!; exit 4`)
		left := number(t, r)
		n.until("the app has ended", func() bool { return len(n.ends) > 0 })
		n.wantEnd(app, "exit 4")
		if err := KillGroup(Group(app), unix.SIGTERM); err != nil {
			t.Errorf("the app's group: %v", err)
		}
		n.until("its child has ended", func() bool { return len(n.ends) == 2 })
		n.wantEnd(left, "signal 15")
	})
}

// TestLookBeforeReaping: many children end at once, and each can still be asked
// about when look is called.
func TestLookBeforeReaping(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		const children = 100
		for range children {
			n.app(shellScript("exit 0")...)
		}
		looked, reaped := 0, 0
		n.look = func() {
			looked++
			info, _ := lookForEnded()
			pid := int(info.pid)
			if _, known := proc.Stat(pid); !known {
				t.Errorf("nothing is known of process %d", pid)
			}
		}
		n.ended = func(Exit) { reaped++ }
		n.until("all are reaped", func() bool { return reaped == children })
		if looked != children {
			t.Errorf("looked %d times", looked)
		}
	})
}

// TestReapNobody: without children there is nothing to do, with a living one
// nothing to wait for.
func TestReapNobody(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		n.reap()
		r, w := pipe(t)
		app := n.talking(w, `echo $$; exec sleep 300`)
		number(t, r)
		n.reap()
		if len(n.ends) > 0 {
			t.Errorf("reaped %v", n.ends)
		}
		if err := Kill(app, unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		n.until("it has ended", func() bool { return len(n.ends) == 1 })
		n.wantEnd(app, "signal 9")
	})
}

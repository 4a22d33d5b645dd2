package process

import (
	"syscall"
	"testing"
)

// TestSuccessorLives: a zombie of the same program is no successor, even if nobody
// has reaped it yet.
func TestSuccessorLives(t *testing.T) {
	alone(t, func(t *testing.T) {
		n := newNursery(t)
		program := copied(t, "/bin/sleep", "successor")
		first := n.app(program, "300")
		eventually(t, "the program", func() bool { return Executable(first) == program })
		second := n.app(program, "301")
		eventually(t, "the program", func() bool { return Executable(second) == program })
		for _, want := range []int{first, second, 0} {
			if got, group := n.family.Successor(program); got != want || group != Group(want) {
				t.Errorf("the successor is %d of group %d, want %d", got, group, want)
			}
			if want == 0 {
				break
			}
			if err := Kill(want, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			eventually(t, "a zombie", func() bool { s, ok := proc.Stat(want); return ok && s.Ended })
		}
		n.until("both have ended", func() bool { n.reap(); return len(n.ends) == 2 })
	})
}

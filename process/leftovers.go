package process

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// noteSurroundings notes what the first app finds: the settings of the terminal, and what runs
// below confit, as an entrypoint script has started it that then executed confit. No restart ends
// that. What is below a hook isn't meant.
func (f *Family) noteSurroundings() {
	f.helpers = map[int]int{}
	f.found, _ = unix.IoctlGetTermios(0, unix.TCGETS)
	if hasChild() {
		for _, s := range descendants(os.Getpid(), f.isHook) {
			f.helpers[s.PID] = s.Started
		}
	}
}

// isHelper reports a process that was there before the first app. Another one may have its number
// by now.
func (f *Family) isHelper(s stat) bool {
	started, found := f.helpers[s.PID]
	return found && started == s.Started
}

func (f *Family) isHook(s stat) bool { return f.hooks[s.PID] != nil }

// EndLeftovers sends a signal to what an app left behind: the members of its group, and every
// descendant of confit but for helpers and what is below them. With everybody it signals these,
// too, and if confit is PID 1, all processes of the PID namespace, also those of kubectl exec. CONT
// follows, as a stopped process takes no signal but KILL. The group of a hook may be spared; 0:
// none is. EndLeftovers returns what [Family.Leftovers] finds then, and names the processes that it
// signalled beside the app's group and hooks, unless it is everybody.
func (f *Family) EndLeftovers(
	group Group, sig syscall.Signal, everybody bool, spared Group,
) (left bool, outside []string) {
	if everybody && os.Getpid() == 1 && spared == 0 {
		_ = unix.Kill(-1, sig) // everybody but the caller and PID 1, kill(2)
		_ = unix.Kill(-1, unix.SIGCONT)
		return f.Leftovers(group, everybody), nil
	}
	_ = KillGroup(group, sig)
	_ = KillGroup(group, unix.SIGCONT)
	for _, s := range f.below(everybody) {
		if spared != 0 && Group(s.Group) == spared {
			continue
		}
		if !everybody && Group(s.Group) != group && f.hooks[s.Group] == nil && !s.Ended {
			outside = append(outside, fmt.Sprintf("%s(%d)", Program(s.PID), s.PID))
		}
		_ = Kill(s.PID, sig)
		_ = Kill(s.PID, unix.SIGCONT)
	}
	return f.Leftovers(group, everybody), outside
}

// below lists what is below confit. With everybody, helpers are among it, and if confit is PID 1,
// all of the namespace. It looks at all processes, unless confit has no child.
func (f *Family) below(everybody bool) []stat {
	top := os.Getpid()
	switch {
	case !hasChild():
		return nil
	case !everybody:
		return descendants(top, f.isHelper)
	case top == 1:
		top = 0
	}
	return descendants(top, nobody)
}

func nobody(stat) bool { return false }

// Leftovers reports whether confit has a child, or the group a member. A zombie counts; a helper
// only with everybody.
func (f *Family) Leftovers(group Group, everybody bool) bool {
	return GroupAlive(group) || hasChild() && (everybody || len(f.helpers) == 0 || len(f.below(false)) > 0)
}

// hasChild reports whether confit has a child, waitid(2). A zombie counts.
func hasChild() bool {
	_, err := lookForEnded()
	return err != unix.ECHILD
}

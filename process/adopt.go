package process

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
)

// Successor finds the process that took an app's place when the app replaced
// itself: nginx at USR2 and QUIT, fluentd at USR2. It was the app's child and is
// confit's now, and it runs the same program. Of several such the oldest is the
// successor, as the others are its own children. The pid is 0 when there is none;
// a process that has ended is none, even if nobody has reaped it yet.
func (f *Family) Successor(program string) (pid int, group Group) {
	same := slices.DeleteFunc(f.orphans(), func(s stat) bool { return program == "" || Executable(s.pid) != program })
	if len(same) == 0 {
		return 0, 0
	}
	oldest := slices.MinFunc(same, func(a, b stat) int { return cmp.Or(a.started-b.started, a.pid-b.pid) })
	return oldest.pid, oldest.group
}

// Started is what a process runs that was started by a command: what Executable says,
// or the command's file where the process has ended before somebody could look, as a
// daemon does that goes to the background within milliseconds.
func Started(pid int, c Command) string {
	if program := Executable(pid); program != "" {
		return program
	}
	path, err := lookPath(c.Args[0], c.Env, c.Dir)
	if err != nil {
		return ""
	}
	program, _ := filepath.EvalSymlinks(inDir(c.Dir, path))
	return program
}

// HasOrphans reports whether a process that lost its parent lives on as confit's
// child.
func (f *Family) HasOrphans() bool { return len(f.orphans()) > 0 }

// orphans lists confit's children that live, but for hooks. When the app has ended
// these are what it left behind.
func (f *Family) orphans() []stat {
	if !hasChild() {
		return nil // without a look at all processes
	}
	return slices.DeleteFunc(processes(), func(s stat) bool { return s.parent != os.Getpid() || s.ended || f.hooks[s.pid] })
}

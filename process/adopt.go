package process

import (
	"cmp"
	"os"
	"path/filepath"
	"slices"
)

// Successor finds the process that took an app's place when the app replaced
// itself, as nginx does at USR2 and QUIT: an orphan that runs the same program. The
// oldest of several is the successor, as the others are its children. A zombie is
// none. The pid is 0 when there is none.
func (f *Family) Successor(program string) (pid int, group Group) {
	same := slices.DeleteFunc(f.orphans(), func(s stat) bool { return program == "" || Executable(s.pid) != program })
	if len(same) == 0 {
		return 0, 0
	}
	oldest := slices.MinFunc(same, func(a, b stat) int { return cmp.Or(a.started-b.started, a.pid-b.pid) })
	return oldest.pid, oldest.group
}

// Started is the program of a process that a command has started: what Executable
// says, or the command's file if the process has ended already, as the first process
// of a daemon does within milliseconds.
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

// HasOrphans reports whether confit has orphans.
func (f *Family) HasOrphans() bool { return len(f.orphans()) > 0 }

// orphans lists confit's living children, but for hooks. Once the app has ended they
// are what it left behind.
func (f *Family) orphans() []stat {
	if !hasChild() {
		return nil // without a look at all processes
	}
	return slices.DeleteFunc(processes(), func(s stat) bool { return s.parent != os.Getpid() || s.ended || f.hooks[s.pid] })
}

// Package process knows processes: how they are started, killed and reaped, their
// groups and their terminal, and what confit exits with. All system calls of
// confit that concern processes are here.
//
// It guarantees one owner of wait: only [Family.Reap] waits, so no status is ever
// lost to somebody else. And as it is called on the goroutine that starts
// processes, a pid is always known before its death can be collected.
//
// It knows nothing of files, generations or policy.
package process

import (
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// start starts a process; attr makes it the leader of a group or a session of its own.
func start(c Command, files []uintptr, attr *syscall.SysProcAttr) (pid int, err error) {
	path, err := lookPath(c.Args[0], c.Env, c.Dir)
	if err != nil {
		return 0, &startError{c.Args[0], err}
	}
	how := &syscall.ProcAttr{Dir: c.Dir, Env: c.environ(), Files: files, Sys: attr}
	if pid, err = forkExec(path, c.Args, how); err != nil {
		return 0, &startError{c.Args[0], err}
	}
	return pid, nil
}

// StartApp starts the app on confit's own standard input, output and error, as
// the leader of a new process group. On a terminal the group is put into its
// foreground, if it is confit's to give: in the background SIGTTIN would stop it at
// its first read (credentials(7), tcsetpgrp(3)). Until then the Go runtime has all
// signals blocked in the child, so TTOU doesn't stop it even when confit is in the
// background. Without a terminal the app leads a session, too, as it would without
// confit. For then its group is orphaned, so the kernel drops TSTP, TTIN and TTOU
// instead of stopping who doesn't catch them (signal(7), setpgid(2)).
//
// To the kernel the thread that starts an app is its parent. Go ends no thread, so an
// app that asks for a signal at that end (PR_SET_PDEATHSIG of prctl(2)) gets none.
func (f *Family) StartApp(c Command) (pid int, err error) {
	attr := &syscall.SysProcAttr{Setsid: true}
	if _, terminal := foreground(); terminal {
		attr = &syscall.SysProcAttr{Setpgid: true, Foreground: terminalIsOurs()}
	}
	pid, err = start(c, []uintptr{0, 1, 2}, attr)
	reserveThreads() // while the kernel still loads the app
	return pid, err
}

// LeaveDirectory makes / confit's own working directory, so that no volume stays
// mounted because of confit.
func LeaveDirectory() error { return unix.Chdir("/") }

// StartHook starts a hook. Its standard input is /dev/null. It leads a session of its
// own, so that it can't take the terminal from the app. When it ends, Reap kills its
// group. The caller has to relay its output.
func (f *Family) StartHook(c Command) (pid int, out *Output, err error) {
	reserveThreads()
	if out, err = newOutput(); err != nil {
		return 0, nil, err
	}
	if pid, err = f.startHook(c, out.write); err != nil {
		out.close()
	}
	return pid, out, err
}

func (f *Family) startHook(c Command, out *os.File) (pid int, err error) {
	null, err := os.Open(os.DevNull)
	if err != nil {
		return 0, err
	}
	defer null.Close()
	restore := limitData(c.MaxData)
	pid, err = start(c, []uintptr{null.Fd(), out.Fd(), out.Fd()}, &syscall.SysProcAttr{Setsid: true})
	restore()
	if err == nil {
		f.hooks[pid] = true
	}
	return pid, err
}

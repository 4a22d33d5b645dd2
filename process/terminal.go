package process

import (
	"io"
	"os"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// The terminal is the one on standard input, if it is confit's controlling one.
// Its foreground group is the one that reads it and gets what ^C, ^\ and ^Z
// send; credentials(7) has the words. In a container confit leads the session
// and nobody else claims the terminal, so it is the app's.

// front is the group in the foreground. There is none where standard input is
// no terminal or another session's: ENOTTY, ioctl_tty(2).
func front() (group int, ok bool) {
	g, err := unix.IoctlGetUint32(0, unix.TIOCGPGRP) // a pid_t: 32 bits everywhere
	return int(g), err == nil
}

// bring puts a group into the foreground.
func bring(group int) (err error) {
	unstopped(func() { err = unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, group) })
	return err
}

// ours reports whether it is for confit to say who is in the foreground: its
// own group is, or one that is gone, as the last app's.
func ours(front int) bool {
	return front == unix.Getpgrp() || (front > 1 && !GroupAlive(front))
}

// appInFront reports whether the app's group is put into the foreground.
func appInFront() bool {
	group, ok := front()
	return ok && ours(group)
}

func isTerminal(f *os.File) bool {
	_, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS)
	return err == nil
}

// FollowStop gives the terminal to an app that was stopped because it wanted
// it (TTIN, TTOU), if it is confit's to give. What else has stopped the app is
// left alone: it stays so until a CONT comes.
func FollowStop(app, group int) {
	sig := stopOf(app)
	if !wantsTerminal(sig) {
		return
	}
	if foreground, ok := front(); ok && ours(foreground) && bring(group) == nil {
		_ = KillGroup(group, unix.SIGCONT)
	}
}

// wantsTerminal reports whether the signal is what a process in the background
// gets when it reads from the terminal or changes it.
func wantsTerminal(sig syscall.Signal) bool { return sig == unix.SIGTTIN || sig == unix.SIGTTOU }

// Continue is CONT for the app. It is the whole group's, as the keyboard stops a
// whole group.
func Continue(group int) error {
	if appInFront() {
		_ = bring(group) // EIO: the terminal was hung up
	}
	return KillGroup(group, unix.SIGCONT)
}

// GiveBack puts confit's own group into the foreground again when the app is
// gone: a script that confit is a line of would be stopped at its next read.
func GiveBack() {
	if group, ok := front(); ok && group != unix.Getpgrp() && ours(group) {
		_ = bring(unix.Getpgrp()) // ESRCH: the group is of another PID namespace
	}
}

// Unstopped writes to a terminal also from the background, where `stty tostop`
// would answer with TTOU each time the write is tried: for ever, as the signal
// is caught.
func Unstopped(f *os.File) io.Writer {
	if isTerminal(f) {
		return unstoppedFile{f}
	}
	return f
}

type unstoppedFile struct{ *os.File }

func (f unstoppedFile) Write(p []byte) (n int, err error) {
	unstopped(func() { n, err = f.File.Write(p) })
	return n, err
}

// unstopped does what the kernel lets a process in the background do only when
// it has TTOU blocked: tcsetpgrp(3), and a write under tostop. The mask is the
// thread's, so the signal still reaches confit, and the app, from elsewhere.
func unstopped(do func()) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var set, before unix.Sigset_t
	set.Val[0] = 1 << (unix.SIGTTOU - 1)
	if unix.PthreadSigmask(unix.SIG_BLOCK, &set, &before) == nil {
		defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil) }()
	}
	do()
}

// OnTerminal reports whether a group is in the foreground of confit's terminal:
// it is what ^C and ^\ are sent to.
func OnTerminal(group int) bool {
	foreground, ok := front()
	return ok && foreground == group
}

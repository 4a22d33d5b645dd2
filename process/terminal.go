package process

import (
	"io"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"confit/signals"
)

// The terminal is that of standard input, if it is confit's controlling one. Its foreground group
// reads it, and gets what ^C, ^\ and ^Z send: credentials(7). In a container confit leads the
// session, and the terminal is the app's.

// GiveTerminal puts an app that TTIN or TTOU has stopped into the foreground and lets it go on, if
// the terminal is confit's to give. An app that another signal has stopped stays so until a CONT
// comes.
func GiveTerminal(app int, group Group) {
	stopped, _ := waitid(unix.P_PID, app, unix.WSTOPPED) // since the last look
	switch syscall.Signal(stopped.status) {
	case unix.SIGTTIN, unix.SIGTTOU:
		isFront := setForeground(group)
		if isFront {
			_ = KillGroup(group, unix.SIGCONT)
		}
	}
}

// Continue sends CONT to the app's group and puts it into the foreground: the keyboard stops a
// whole group.
func Continue(group Group) error {
	setForeground(group)
	return KillGroup(group, unix.SIGCONT)
}

// setTerminal gives the terminal the settings that it had before the first app, if it is confit's
// to give: an app that was killed has left its own, as those of an editor, without ^C. From the
// background the kernel asks by TTOU, as in setForeground.
func (f *Family) setTerminal() {
	if f.found != nil && terminalIsOurs() {
		_ = signals.WithoutSignals(func() error { return unix.IoctlSetTermios(0, unix.TCSETS, f.found) })
	}
}

// TakeTerminal puts confit's own group into the foreground when the app has ended. Else an
// entrypoint script with confit in it would be stopped at its next read.
func TakeTerminal() { setForeground(Group(unix.Getpgrp())) }

// OnTerminal reports whether a group is in the foreground of confit's terminal, so that ^C and ^\
// are sent to it.
func OnTerminal(group Group) bool {
	front, ok := foreground()
	return ok && front == group
}

// terminalIsOurs reports whether confit may set the foreground: its own group is there, or one
// without a member, as the last app's.
func terminalIsOurs() bool {
	front, ok := foreground()
	return ok && (front == Group(unix.Getpgrp()) || (front > 1 && !GroupAlive(front)))
}

// foreground is the group in the foreground; not ok if standard input is no terminal, or another
// session's: ENOTTY, ioctl_tty(2).
func foreground() (group Group, ok bool) {
	g, err := unix.IoctlGetUint32(0, unix.TIOCGPGRP) // a pid_t: 32 bits everywhere
	return Group(g), err == nil
}

// setForeground puts a group into the foreground, if the terminal is confit's to give, and reports
// whether it is there: not after a hang-up (EIO), or if it is of another PID namespace (ESRCH).
// From the background the kernel asks by TTOU, tcsetpgrp(3), unless the thread has that blocked.
func setForeground(group Group) bool {
	return terminalIsOurs() &&
		signals.WithoutSignals(func() error { return unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, int(group)) }) == nil
}

// Unstopped returns a writer that a terminal doesn't stop. In the background under `stty tostop`
// the kernel answers each write with TTOU, unless the thread has that blocked. confit catches TTOU,
// and so would write for ever.
func Unstopped(f *os.File) io.Writer {
	if _, err := unix.IoctlGetTermios(int(f.Fd()), unix.TCGETS); err != nil {
		return f
	}
	return unstoppedFile{f}
}

type unstoppedFile struct{ *os.File }

func (f unstoppedFile) Write(p []byte) (n int, err error) {
	err = signals.WithoutSignals(func() error { n, err = f.File.Write(p); return err })
	return n, err
}

// Unread returns a channel that is closed when a file has no reader any more: the other end of a
// pipe or socket is closed, or a terminal was hung up. For any other file it never is.
func Unread(f *os.File) <-chan struct{} {
	unread := make(chan struct{})
	poll := []unix.PollFd{{Fd: int32(f.Fd())}} // HUP and ERR come unasked: poll(2)
	go func() {
		for {
			if n, err := unix.Ppoll(poll, nil, nil); n > 0 || err != nil && err != unix.EINTR {
				close(unread)
				return
			}
		}
	}()
	return unread
}

package harness

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// Terminal is a pseudo-terminal, seen from the side of who sits at it: pty(7).
type Terminal struct {
	master *os.File
	slave  *os.File
	over   chan struct{} // closed when nobody has the terminal open any more

	mu     sync.Mutex
	screen strings.Builder
}

// Keys that the terminal turns into signals or an end of input: termios(3).
const (
	CtrlC = "\x03"
	CtrlD = "\x04"
	CtrlZ = "\x1a"
)

// OpenTerminal makes one, for the Command that is started next. Close it after the end of that.
func OpenTerminal() (*Terminal, error) {
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, err
	}
	k := &Terminal{master: master, over: make(chan struct{})}
	number, err := unix.IoctlGetUint32(int(master.Fd()), unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0)
	}
	if err == nil {
		k.slave, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|unix.O_NOCTTY, 0)
	}
	if err != nil {
		master.Close()
		return nil, err
	}
	go k.watch()
	return k, nil
}

// attach gives a command, which leads a session, the terminal.
func (k *Terminal) attach(cmd *exec.Cmd) {
	cmd.Stdin, cmd.Stdout, cmd.Stderr = k.slave, k.slave, k.slave
	cmd.SysProcAttr.Setctty = true
}

// Run runs a command on the terminal until nobody has it open any more, as `kubectl exec -it` does.
func (k *Terminal) Run(cmd *exec.Cmd) error {
	cmd.SysProcAttr = &unix.SysProcAttr{Setsid: true, Pdeathsig: ParentEnd}
	k.attach(cmd)
	err := cmd.Start()
	k.leave()
	if err == nil {
		err = cmd.Wait()
	}
	<-k.over
	return err
}

// leave makes the program the last one that has the terminal open.
func (k *Terminal) leave() { k.slave.Close() }

// watch reads until nobody has the terminal open any more: EIO.
func (k *Terminal) watch() {
	defer close(k.over)
	text := make([]byte, 4096)
	for {
		n, err := k.master.Read(text)
		if err != nil {
			return
		}
		k.mu.Lock()
		k.screen.Write(text[:n])
		k.mu.Unlock()
	}
}

// Close waits until nobody has the terminal open any more.
func (k *Terminal) Close() {
	k.leave()
	<-k.over
	k.master.Close()
}

// Left tells whether nobody has the terminal open any more.
func (k *Terminal) Left() bool {
	select {
	case <-k.over:
		return true
	default:
		return false
	}
}

// Type types a text.
func (k *Terminal) Type(text string) error {
	_, err := k.master.WriteString(text)
	return err
}

// Screen is all that was ever shown. What is typed is shown, too.
func (k *Terminal) Screen() string {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.screen.String()
}

// Resize gives the window a size.
func (k *Terminal) Resize(rows, columns uint16) error {
	return unix.IoctlSetWinsize(int(k.master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: rows, Col: columns})
}

// Foreground is the group that has the terminal, numbered as outside the box.
func (k *Terminal) Foreground() (int, error) {
	group, err := unix.IoctlGetUint32(int(k.master.Fd()), unix.TIOCGPGRP)
	return int(group), err
}

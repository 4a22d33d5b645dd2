package main

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// roles are the other programs that this one plays, by first argument.
var roles = map[string]func(args []string) int{
	"role:measure": measureIn,
	"role:app":     app,
	"role:webapp":  webapp,
	"role:loop":    loop,
	"role:hook":    hook,
	"role:first":   firstAct,
	"role:orphans": parentOfOrphans,
}

// ready is what an app says when its handlers are in place.
const ready = "ready"

// app is a daemon that prints when each SIGHUP came in. It ends with its stdin.
func app([]string) int {
	hups := make(chan os.Signal, 1<<10)
	signal.Notify(hups, unix.SIGHUP)
	fmt.Println(ready)
	go func() {
		for range hups {
			fmt.Println(stamp())
		}
	}()
	_, _ = os.Stdin.Read(make([]byte, 1)) // its end is all that matters
	return 0
}

// loop is the yardstick of a swap: the least that can turn one into a signal. It reads inotify events of a volume and,
// when ..data points elsewhere than before, sends SIGHUP to the app. Nothing is copied, checked or made atomic. It reads
// in a thread of its own, without the runtime's poller: that is the fastest way there is in Go.
func loop(args []string) int {
	volume, cmd := args[0], exec.Command(args[1], args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	events, err := unix.InotifyInit1(unix.IN_CLOEXEC)
	if err == nil {
		_, err = unix.InotifyAddWatch(events, volume, unix.IN_MOVED_TO)
	}
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "loop:", err)
		return 125
	}
	link := filepath.Join(volume, "..data")
	seen, _ := os.Readlink(link)
	for buffer := make([]byte, 4096); ; {
		if _, err := unix.Read(events, buffer); err != nil && err != unix.EINTR {
			return 125
		}
		if to, err := os.Readlink(link); err == nil && to != seen {
			seen = to
			_ = cmd.Process.Signal(syscall.SIGHUP) // an app that is gone is noticed by its silence
		}
	}
}

// hook is a validator that is content with everything. Its last act is to write down the time: what follows is its end,
// publishing and reloading.
func hook(args []string) int {
	f, err := os.Create(args[0])
	if err != nil {
		fmt.Fprintln(os.Stderr, "hook:", err)
		return 1
	}
	if _, err := f.WriteString(stamp()); err != nil {
		return 1
	}
	return 0
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"

	"golang.org/x/sys/unix"
)

// What the lines of its stdin ask of an app. It prints the same when it begins or has done it.
const (
	endMany = "orphans end"
	useUp   = "pids used up"
)

// obey does so until the end of stdin.
func obey() {
	for asked := bufio.NewScanner(os.Stdin); asked.Scan(); {
		var err error
		switch asked.Text() {
		case endMany:
			err = endAtOnce()
		case useUp:
			err = usePidsUp()
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "app:", err)
		}
	}
}

func endAtOnce() error {
	open, err := orphans(crowdSize)
	if err != nil {
		return err
	}
	fmt.Println(endMany)
	return open.Close()
}

// usePidsUp starts processes until the kernel refuses one. This program's own threads must be there by then, as in ReserveThreads of
// package process.
func usePidsUp() error {
	made, enough := make(chan bool), make(chan bool)
	const threads = 8
	for range threads {
		go func() {
			runtime.LockOSThread()
			made <- true
			<-enough
			runtime.UnlockOSThread()
		}()
	}
	for range threads {
		<-made
	}
	close(enough)
	for range crowdPids {
		err := exec.Command(sleeper[0], sleeper[1:]...).Start()
		if errors.Is(err, unix.EAGAIN) {
			fmt.Println(useUp)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return errors.New("the kernel refuses no process")
}

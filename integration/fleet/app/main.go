// App is the daemon that every replica of the fleet runs. It reads its configuration at its start and at each HUP, and prints what it
// read: so a test sees who ever read an edition.
//
//	app serve FILE SOCKET   the daemon
//	app check FILE          is this a configuration?
//	app ask SOCKET          is the daemon well?
//
// What its files say, it does whatever the configuration is: away, stale and broken.
//
// A configuration is a line: an edition, and what the daemon does with it. The validator can't tell a good one from the others.
package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"
)

// What the daemon does with an edition.
const (
	good = "good"
	die  = "die"  // it ends when it has read it
	sick = "sick" // it lives, and says that it isn't well
	eat  = "eat"  // it takes memory until it is killed
	late = "late" // it ends three seconds after a HUP, and at once after a start
	slow = "slow" // it ends five seconds after it has read it
	old  = "old"  // it ends if it is of the first image
)

// after is how long it takes to die, unless it has just started.
var after = map[string]time.Duration{late: 3 * time.Second, slow: 5 * time.Second}

// deadly is the exit code of a daemon that read an edition that it can't live with, and unable that of one for another reason.
const (
	deadly = 3
	unable = 4
)

// Files that a test puts into the container.
const (
	away   = "/tmp/away"   // what the daemon needs is away: it can't start, and ends if it runs
	stale  = "/tmp/stale"  // a former daemon has left something behind: it can't start, once
	broken = "/tmp/broken" // it ends two seconds after it has read any edition but the first
)

func isThere(file string) bool {
	_, err := os.Stat(file)
	return err == nil
}

// depend ends the daemon when it can't be there.
func depend() {
	if os.Remove(stale) == nil {
		os.Exit(unable)
	}
	for ; !isThere(away); time.Sleep(100 * time.Millisecond) {
	}
	os.Exit(unable)
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "app:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	// A child of a PID 1 that the kernel is to kill first is not to be killed before it: memory_test.go says why.
	if err := os.WriteFile("/proc/self/oom_score_adj", []byte("0"), 0); err != nil {
		return err
	}
	switch {
	case len(args) == 3 && args[0] == "serve":
		return serve(args[1], args[2])
	case len(args) == 2 && args[0] == "check":
		_, err := read(args[1])
		return err
	case len(args) == 2 && args[0] == "ask":
		return ask(args[1])
	}
	return errors.New("write: app serve FILE SOCKET, app check FILE or app ask SOCKET")
}

// edition is what a file holds.
type edition struct{ name, effect string }

func read(file string) (edition, error) {
	text, err := os.ReadFile(file)
	words := strings.Fields(string(text))
	if err == nil && (len(words) != 2 || !slices.Contains([]string{good, die, sick, eat, late, slow, old}, words[1])) {
		err = fmt.Errorf("%q holds no edition", file)
	}
	if err != nil {
		return edition{}, err
	}
	return edition{words[0], words[1]}, nil
}

func serve(file, socket string) error {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM)
	if isThere(stale) || isThere(away) {
		depend()
	}
	go depend()
	_ = os.Remove(socket) // of a former daemon
	listener, err := net.Listen("unix", socket)
	if err != nil {
		return err
	}
	var isSick atomic.Bool
	go answer(listener, &isSick)
	for started := true; ; started = false {
		e, err := read(file)
		if err != nil {
			return err
		}
		fmt.Println("read", e.name)
		isSick.Store(e.effect == sick)
		if e.name != "first" && isThere(broken) {
			time.AfterFunc(2*time.Second, func() { os.Exit(deadly) })
		}
		switch e.effect {
		case die:
			os.Exit(deadly)
		case old:
			if os.Getenv("CONFITCTL_REVISION") == "r1" {
				os.Exit(deadly)
			}
		case eat:
			go hunger()
		case late, slow:
			if started && e.effect == late {
				os.Exit(deadly)
			}
			time.AfterFunc(after[e.effect], func() { os.Exit(deadly) })
		}
		if <-signals == syscall.SIGTERM {
			return nil
		}
	}
}

// answer says to each caller how the daemon is.
func answer(l net.Listener, isSick *atomic.Bool) {
	for {
		caller, err := l.Accept()
		if err != nil {
			return
		}
		if isSick.Load() {
			_, _ = caller.Write([]byte(sick))
		} else {
			_, _ = caller.Write([]byte(good))
		}
		caller.Close()
	}
}

// hunger has the kernel give it memory at once, and uses it: it is over the limit long before a probation ends, however busy the
// machine is.
func hunger() {
	for {
		_, _ = syscall.Mmap(-1, 0, 1<<30, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE|syscall.MAP_POPULATE)
	}
}

func ask(socket string) error {
	c, err := net.Dial("unix", socket)
	if err != nil {
		return err
	}
	defer c.Close()
	answer := make([]byte, 16)
	n, err := c.Read(answer)
	if err == nil && string(answer[:n]) != good {
		err = fmt.Errorf("the daemon is %s", answer[:n])
	}
	return err
}

package main

import (
	"fmt"
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// roles are the other programs that this one plays, by first argument.
var roles = map[string]func(args []string) int{
	"role:measure": measureIn,
	"role:app":     app,
	"role:webapp":  webapp,
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
	obey()
	return 0
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

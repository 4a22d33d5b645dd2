package main

import (
	"strconv"
	"time"

	"golang.org/x/sys/unix"
)

// now is CLOCK_MONOTONIC, which is the same for every process of the machine, in every namespace used here: so a time that
// one process took can be subtracted from another's. Go's own monotonic time counts from the start of the process.
func now() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &ts); err != nil {
		panic(err) // no Linux is without it
	}
	return time.Duration(ts.Nano())
}

// stamp and parseStamp carry a time from one process to another.
func stamp() string { return strconv.FormatInt(int64(now()), 10) }

func parseStamp(text string) (time.Duration, error) {
	n, err := strconv.ParseInt(text, 10, 64)
	return time.Duration(n), err
}

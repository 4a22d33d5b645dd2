package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// status reads numbers from a file such as /proc/PID/status: fields of proc_pid_status(5), memory in KiB.
func status(path string, fields ...string) ([]int, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	values := make([]int, len(fields))
	for i, field := range fields {
		_, rest, found := strings.Cut(string(text), "\n"+field+":")
		words := strings.Fields(rest)
		if !found || len(words) == 0 {
			return nil, fmt.Errorf("%s has no %s", path, field)
		}
		if values[i], err = strconv.Atoi(words[0]); err != nil {
			return nil, err
		}
	}
	return values, nil
}

func ofProcess(pid int, fields ...string) ([]int, error) {
	return status(fmt.Sprintf("/proc/%d/status", pid), fields...)
}

// switches counts the context switches of all threads, those that a thread asked for and those that it suffered. A thread
// that sleeps makes none, so they count wake-ups.
func switches(pid int) (int, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/status", pid))
	sum := 0
	for _, thread := range threads {
		n, err := status(thread, "voluntary_ctxt_switches", "nonvoluntary_ctxt_switches")
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, unix.ESRCH) {
			continue // it has ended meanwhile
		}
		if err != nil {
			return 0, err
		}
		sum += n[0] + n[1]
	}
	return sum, err
}

// quiet waits until processes have done nothing for so long: what they have begun is over.
func quiet(least time.Duration, boxes ...*box) error {
	const looks = 10
	deadline := now() + patience
	for still, last := 0, -1; still < looks; still++ {
		sum := 0
		for _, x := range boxes {
			n, err := switches(x.pid())
			if err != nil {
				return err
			}
			sum += n
		}
		if sum != last {
			still, last = 0, sum
		}
		if now() > deadline {
			return boxes[0].fault("never came to rest")
		}
		time.Sleep(least / looks)
	}
	return nil
}

package main

import (
	"fmt"
	"time"

	"confit/integration/internal/harness"
)

// ofProcess reads numbers from a process's status: fields of proc_pid_status(5), memory in KiB.
func ofProcess(pid int, fields ...string) ([]int, error) {
	values := make([]int, len(fields))
	for i, field := range fields {
		text := harness.StatusField(fmt.Sprintf("/proc/%d", pid), field)
		if _, err := fmt.Sscan(text, &values[i]); err != nil {
			return nil, fmt.Errorf("cannot read %s of process %d: %w", field, pid, err)
		}
	}
	return values, nil
}

// quiet waits until processes have done nothing for so long: what they have begun is over.
func quiet(least time.Duration, boxes ...*box) error {
	const looks = 10
	deadline := now() + patience
	for still, last := 0, -1; still < looks; still++ {
		sum := 0
		for _, x := range boxes {
			n, err := x.Switches()
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

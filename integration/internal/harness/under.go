package harness

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// parent is a PID 1 with the program as its child. When the program has ended, it prints "left behind: " and a line of stat for each
// process that the program left. What was killed may take a while to die where the processors are busy.
func (b interior) parent() int {
	cmd := exec.Command(b.Argv[0], b.Argv[1:]...)
	cmd.Env, cmd.Stdin, cmd.Stdout, cmd.Stderr = b.Env, os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "enter:", err)
		return failed
	}
	_ = cmd.Wait()
	var left []string
	Poll(context.Background(), func() bool {
		left = besidesPID1()
		return len(left) == 0
	})
	for _, stat := range left {
		fmt.Printf("left behind: %.80s\n", stat)
	}
	return cmd.ProcessState.ExitCode()
}

// besidesPID1 are the processes of the namespace, each as proc_pid_stat(5) has it, without zombies.
func besidesPID1() (found []string) {
	stats, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err == nil && !strings.Contains(string(stat), ") Z ") && !strings.HasPrefix(string(stat), "1 ") {
			found = append(found, string(stat))
		}
	}
	return found
}

package supervisor

import (
	"bufio"
	"os/exec"
	"testing"

	"golang.org/x/sys/unix"

	"confit/signals"
)

// TestProbe_becoming: what has not become the app yet has handlers, but they are not the app's. A signal would end it.
func TestProbe_becoming(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]signals.Disposition{"sh": signals.Caught, "confit: becoming": signals.Default} {
		c := &exec.Cmd{Path: "/bin/sh", Args: []string{name, "-c", `trap : USR2; echo ready; read end`}}
		input, err1 := c.StdinPipe()
		output, err2 := c.StdoutPipe()
		if err1 != nil || err2 != nil || c.Start() != nil {
			t.Fatal(err1, err2)
		}
		if _, err := bufio.NewReader(output).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if e := (probe{c.Process.Pid, unix.SIGUSR2}).perform(nil).(probed); e.disposition != want {
			t.Errorf("%s: %v, want %v", name, e.disposition, want)
		}
		_ = input.Close()
		_ = c.Wait()
	}
}

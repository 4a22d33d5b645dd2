package supervisor

import (
	"bufio"
	"os/exec"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"confit/signals"
)

// TestProbe_behind_an_init: what the only child of an init does with the signal decides; of a shell it is what the shell does. A copy of
// bash stands in for both.
func TestProbe_behind_an_init(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]signals.Disposition{"dumb-init": signals.Caught, "bash": signals.Default} {
		path := filepath.Join(t.TempDir(), name)
		if err := exec.Command("cp", "/bin/bash", path).Run(); err != nil { // no other process of this one can hold it open
			t.Fatal(err)
		}
		c := exec.Command(path, "-c", `sh -c 'trap : USR2; echo ready; read end'; :`)
		input, err1 := c.StdinPipe()
		output, err2 := c.StdoutPipe()
		if err1 != nil || err2 != nil || c.Start() != nil {
			t.Fatal(err1, err2)
		}
		if _, err := bufio.NewReader(output).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if e := lookAtApp(c.Process.Pid, unix.SIGUSR2); e.Disposition != want {
			t.Errorf("%s: %v, want %v", name, e.Disposition, want)
		}
		_ = input.Close()
		_ = c.Wait()
	}
}

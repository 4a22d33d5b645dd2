package signals

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// blocks is testdata/blocks.c as a program.
var blocks = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "blocks-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "blocks")
	out, err := exec.Command("cc", "-O1", "-pthread", "-o", path, "testdata/blocks.c").CombinedOutput()
	_, _ = os.Stderr.Write(out)
	return path, err
})

// TestBlocked is the table of what the kernel shows of each thread, and whether HUP then
// ends the program. The end of each test collects it.
func TestBlocked(t *testing.T) {
	t.Parallel()
	for how, tt := range map[string]struct {
		want Disposition
		dies bool
	}{
		"blocked":     {Blocked, false},
		"leader_gone": {Blocked, false}, // a leader that has ended is a zombie, with its last mask
		"sigwait":     {Default, false}, // while it waits, SigBlk doesn't show it
		"one_open":    {Default, true},
		"open":        {Default, true},
		"handler":     {Caught, false},
		"ignored":     {Ignored, false},
	} {
		t.Run(how, func(t *testing.T) {
			t.Parallel()
			path, err := blocks()
			if err != nil {
				t.Fatal(err)
			}
			c := begin(t, exec.Command(path, how))
			poll(t, "HUP is "+tt.want.String(), func() bool { return DispositionOf(c.pid(), HUP) == tt.want })
			if err := c.cmd.Process.Signal(HUP); err != nil {
				t.Fatal(err)
			}
			if tt.dies {
				c.diesOf = HUP
				poll(t, "its end", func() bool { return field(statusOf(fmt.Sprintf("/proc/%d", c.pid())), "State:") == "Z (zombie)" })
			}
		})
	}
}

// poll waits for what must become true.
func poll(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); !holds(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("never: %s", what)
		}
	}
}

package integration

import (
	"fmt"
	"os"
	"syscall"
	"testing"
)

// twins are an app and what would be its successor. Both end when nobody holds their gate open for writing any more.
const twins = `exec 4<"$1"; if [ "$2" = heir ]; then echo heir; read x <&4; exit 9; fi
sh "$0" "$1" heir & echo ready; read x <&4; exit 3`

// A successor that ends in the same moment as the app is none, or is the app for that moment: confit ends with the code of the one
// or of the other, and never waits for somebody who is gone.
func TestPID1_adopt_a_dying_successor(t *testing.T) {
	t.Parallel()
	codes := map[int]int{}
	for round := range 40 {
		s := newExit(t)
		s.flag("--adopt")
		path := s.path("gate")
		if err := syscall.Mkfifo(path, 0o666); err != nil {
			t.Fatal(err)
		}
		gate, err := os.OpenFile(path, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		c := s.start("sh", s.write(s.path("daemon"), twins), path)
		c.says("ready", 1)
		c.says("heir", 1)
		gate.Close()
		eventually(t, fmt.Sprintf("the end of round %d", round), func() bool { return !c.alive() })
		codes[c.cmd.ProcessState.ExitCode()]++
	}
	if codes[3]+codes[9] != 40 {
		t.Errorf("exit codes %v, want 3 or 9", codes)
	}
}

package integration

import (
	"fmt"
	"os"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// twins are an app and what would be its successor. Both end when nobody holds their gate open for writing any more, the successor
// a little later, and so does a crowd that is to be reaped with them, and is of the same program, too.
const twins = `exec 4<"$1"; if [ "$2" = heir ]; then echo heir; read x <&4; sleep $3; exit 9; fi
i=0; while [ $i -lt 100 ]; do (read x <&4) & i=$((i+1)); done
sh "$0" "$1" heir $2 & echo ready; read x <&4; exit 3`

const twinRounds = 30

// A successor that ends in the same moment as the app is none, or is the app for that moment: confit ends with the code of one of
// them, and never waits for somebody who is gone.
func TestPID1_adopt_a_dying_successor(t *testing.T) {
	t.Parallel()
	codes := map[int]int{}
	for round := range twinRounds {
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
		c := s.start("sh", s.write(s.path("daemon"), twins), path, fmt.Sprintf("0.%03d", round))
		c.Says("ready", 1)
		c.Says("heir", 1)
		gate.Close()
		harness.Eventually(t, fmt.Sprintf("the end of round %d", round), func() bool { return !c.Alive() })
		codes[c.State().ExitCode()]++
	}
	if codes[1]+codes[3]+codes[9] != twinRounds {
		t.Errorf("exit codes %v, want 1, 3 or 9", codes)
	}
}

package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"

	"golang.org/x/sys/unix"
)

// stormSize is how many orphans die at once; ten storms are 10,000. All 10,000 at once would need a gigabyte.
const stormSize = 1000

// stormCode is what the parent of the orphans exits with: a reaper that confuses it with an orphan loses the code.
const stormCode = 42

// orphans measures reaping: the time from the moment in which all orphans may die until none is left, not even as a zombie. An
// orphan that is never reaped ends the measurement with an error.
func (b *bench) orphans(rounds int) ([]row, error) {
	ours, err := b.newStorm(func(s *site) []string { return b.confitOn(s, nil, b.self, "role:orphans") })
	if err != nil {
		return nil, err
	}
	boxes := []*timed{ours}
	for _, name := range inits {
		x, err := b.newStorm(func(*site) []string { return []string{name, "--", b.self, "role:orphans"} })
		if err != nil {
			return nil, err
		}
		boxes = append(boxes, x)
	}
	for range rounds {
		for _, x := range boxes {
			if err := x.storm(); err != nil {
				return nil, err
			}
		}
	}
	return b.reaped(boxes)
}

// reaped ends the boxes, of which the first is ours, and compares how many orphans each reaped in a millisecond.
func (b *bench) reaped(boxes []*timed) (rows []row, err error) {
	rate := func(x *timed) float64 { return stormSize / x.took.median() }
	cost := func(x *timed) float64 { return 1000 * x.ran.median() / stormSize }
	for i, x := range boxes {
		if code := b.end(x.box); code != stormCode {
			return nil, x.fault(fmt.Sprintf("exited with %d, not with its app's %d", code, stormCode))
		}
		if i > 0 {
			rows = append(rows, row{"orphans reaped, storms of 1,000", perMs, rate(boxes[0]), rate(x), inits[i-1], budget{minimum, 0.8}},
				row{"  PID 1's processor time for one", microseconds, cost(boxes[0]), cost(x), inits[i-1], budget{ratio, 2.5}})
		}
	}
	return rows, nil
}

func (b *bench) newStorm(argv func(*site) []string) (*timed, error) {
	return b.newTimed(startLinks, (*site).linkEach, argv)
}

// storm asks for one storm and adds the time that it took, and that PID 1 ran meanwhile.
func (t *timed) storm() error {
	before := ran(t.PID)
	if _, err := io.WriteString(t.stdin, "\n"); err != nil {
		return err
	}
	line, err := t.line()
	if err != nil {
		return err
	}
	took, err := parseStamp(line)
	t.took.add(took)
	t.ran.add(ran(t.PID) - before)
	return err
}

// parentOfOrphans makes a storm for each line that it reads and prints how long it took.
func parentOfOrphans([]string) int {
	fmt.Println(ready)
	for asked := bufio.NewScanner(os.Stdin); asked.Scan(); {
		took, err := storm()
		if err != nil {
			fmt.Fprintln(os.Stderr, "orphans:", err)
			return 125
		}
		fmt.Println(int64(took))
	}
	return stormCode
}

// orphanage is a shell script, as no cheaper way to fork comes with every system: each orphan is the grandchild of a shell,
// with a parent that ends at once. It says that it is there, then waits for the end of the pipe.
const orphanage = `i=0; while [ $i -lt %d ]; do ( { echo; read x <&3; } & ); i=$((i+1)); done`

func storm() (time.Duration, error) {
	open, err := orphans(stormSize)
	if err != nil {
		return 0, err
	}
	begin := now()
	open.Close()
	for !strictlyAlone() {
		if now()-begin > patience {
			return 0, fmt.Errorf("orphans are left after %v", patience)
		}
		time.Sleep(time.Millisecond / 2)
	}
	return now() - begin, nil
}

// orphans makes some that live until what it returns is closed.
func orphans(n int) (open *os.File, err error) {
	gate, open, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer gate.Close()
	shell := exec.Command("sh", "-c", fmt.Sprintf(orphanage, n))
	shell.ExtraFiles = []*os.File{gate} // descriptor 3
	present, err := shell.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := shell.Start(); err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(present, make([]byte, n)); err != nil {
		return nil, err
	}
	return open, shell.Wait()
}

// strictlyAlone asks the kernel whether there is anybody in this PID namespace but PID 1 and this process: kill(2) with -1
// finds zombies, too, until they have been reaped.
func strictlyAlone() bool { return unix.Kill(-1, 0) == unix.ESRCH }

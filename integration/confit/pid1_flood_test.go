//go:build check

package confit

import (
	"bufio"
	"fmt"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// unmoved ignores every signal but TERM, and ends when the test lets it.
const unmoved = `for s in 1 2 3 10 12 14 18 28 29 30 $(seq 34 64); do trap "" $s; done; echo ready; read x <%s; exit 5`

// sender sends signals to a process as fast as it can, until the process is gone or the given number is sent.
const sender = `my ($pid, $n, @s) = @ARGV; $| = 1;
for my $i (1 .. $n) { kill($s[$i % @s], $pid) or $!{EAGAIN} or exit 0; print "warm\n" if $i == 100_000 }
exit 9`

const (
	senders = 12
	// floodedUser has no other processes: how many signals may be pending (RLIMIT_SIGPENDING) is all of a user's.
	floodedUser = 64124
	floodSize   = 200_000 // what each sends, if confit doesn't end before
)

// In a flood of signals by a dozen senders each thread of the Go runtime takes one after the other, and the kernel delivers some of them
// before that of a child's end. confit notices the app's end when the flood is over, at the latest.
func TestPID1_flood(t *testing.T) {
	s := newExit(t)
	s.program = programs.shipped
	s.runAs(floodedUser)
	gate := s.path("gate")
	if err := syscall.Mkfifo(gate, 0o666); err != nil {
		t.Fatal(err)
	}
	c := s.start("sh", "-c", fmt.Sprintf(unmoved, gate))
	c.Says("ready", 1)
	all := c.flood("1", "10", "34", "35", "12", "64", "50", "14")
	s.write(gate, "\n")
	c.Ends(5)
	for _, one := range all {
		_ = one.Wait() // it says whether it has sent all
	}
}

// flood starts the senders, and returns when all have sent enough to fill every queue.
func (c *confit) flood(list ...string) []*exec.Cmd {
	c.t.Helper()
	var all []*exec.Cmd
	for n := range senders {
		turned := slices.Concat(list[n%len(list):], list[:n%len(list)]) // each begins with another
		cmd := exec.Command("perl", append([]string{"-MErrno", "-e", sender, fmt.Sprint(c.PID), fmt.Sprint(floodSize)}, turned...)...)
		cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: harness.ParentEnd}
		out, err := cmd.StdoutPipe()
		if err == nil {
			err = cmd.Start()
		}
		if err != nil {
			c.t.Fatal(err)
		}
		c.t.Cleanup(func() { _ = cmd.Process.Kill() })
		all = append(all, cmd)
		c.t.Cleanup(func() { out.Close() })
		defer func() { _, _ = bufio.NewReader(out).ReadString('\n') }()
	}
	return all
}

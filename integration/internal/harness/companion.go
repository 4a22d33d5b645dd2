package harness

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// Companion is a program beside the boxes. It answers in lines, and its input's end asks it to end.
type Companion struct {
	cmd    *exec.Cmd
	input  io.WriteCloser
	output *bufio.Reader
}

// Accompany starts a command, whose standard streams and death signal it sets. End or Kill ends it.
func Accompany(cmd *exec.Cmd) (*Companion, error) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = ParentEnd
	cmd.Stderr = os.Stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	output, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	return &Companion{cmd, input, bufio.NewReader(output)}, cmd.Start()
}

// Tell writes a line to it.
func (c *Companion) Tell(line []byte) error {
	_, err := fmt.Fprintf(c.input, "%s\n", line)
	return err
}

// Hear waits for its next line.
func (c *Companion) Hear() (string, error) {
	line, err := c.output.ReadString('\n')
	return strings.TrimSpace(line), err
}

// Expect waits for its next line, which has to be this.
func (c *Companion) Expect(want string) error {
	if got, err := c.Hear(); got != want {
		return fmt.Errorf("%q says %q, want %q (%v)", c.cmd.Args, got, want, err)
	}
	return nil
}

// End asks it to end, and waits until it has.
func (c *Companion) End() error {
	c.input.Close()
	return c.cmd.Wait()
}

// Kill ends it at once, unless it has ended.
func (c *Companion) Kill() {
	_ = c.cmd.Process.Kill()
	_ = c.cmd.Wait()
}

// Visit makes a command that nsenter(1) starts in the box; the first arguments say which namespaces it enters, such as "-m".
func (i *Init) Visit(args ...string) *exec.Cmd {
	return exec.Command("nsenter", append([]string{"-t", strconv.Itoa(i.PID)}, args...)...)
}

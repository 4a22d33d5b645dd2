package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// patience is how long a box may take to say something: far more than any of them needs, so that only a real fault ends a
// measurement.
const patience = 30 * time.Second

// box is a program that runs as PID 1 of a PID namespace of its own with a /proc of its own, as in a container: both confit
// and its yardsticks. When it is killed, the kernel kills all that is in there with it.
type box struct {
	cmd   *exec.Cmd
	stdin *os.File
	lines chan string // what it prints
	log   string      // the file behind its stderr
}

// start runs a program in a box. The environment is bare, so that no CONFIT_… of the caller gets in.
func (b *bench) start(s *site, argv ...string) (*box, error) {
	path, err := exec.LookPath(argv[0])
	if err != nil {
		return nil, err
	}
	log, err := os.Create(s.path("stderr"))
	if err != nil {
		return nil, err
	}
	defer log.Close()
	in, stdin, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer in.Close()
	stdout, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer out.Close()
	x := &box{stdin: stdin, lines: make(chan string, 1<<14), log: log.Name()}
	x.cmd = exec.Command(b.self, append([]string{"role:enter", path}, argv[1:]...)...)
	x.cmd.Env = []string{"PATH=" + os.Getenv("PATH")}
	x.cmd.Stdin, x.cmd.Stdout, x.cmd.Stderr = in, out, log
	x.cmd.SysProcAttr = namespaces()
	if err := x.cmd.Start(); err != nil {
		stdin.Close()
		stdout.Close()
		return nil, err
	}
	go x.read(stdout)
	b.boxes = append(b.boxes, x)
	return x, nil
}

func (x *box) read(stdout *os.File) {
	defer stdout.Close()
	defer close(x.lines)
	for scan := bufio.NewScanner(stdout); scan.Scan(); {
		x.lines <- scan.Text()
	}
}

// line is the next thing that the box prints.
func (x *box) line() (string, error) {
	select {
	case line, ok := <-x.lines:
		if ok {
			return line, nil
		}
		return "", x.fault("ended")
	case <-time.After(patience):
		return "", x.fault("said nothing")
	}
}

// expect waits for just that line.
func (x *box) expect(want string) error {
	line, err := x.line()
	if err == nil && line != want {
		err = x.fault(fmt.Sprintf("said %q, not %q,", line, want))
	}
	return err
}

// fault tells what a box did wrong, with its last words.
func (x *box) fault(what string) error {
	log, _ := os.ReadFile(x.log)
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	last := lines[max(0, len(lines)-5):]
	return fmt.Errorf("%s %s; the end of its log:\n%s", filepath.Base(x.cmd.Args[2]), what, strings.Join(last, "\n"))
}

// pid is that of the program, seen from here: of the PID 1 of the box.
func (x *box) pid() int { return x.cmd.Process.Pid }

// end closes the box's stdin, at which an app here ends, and returns the exit code.
func (b *bench) end(x *box) int {
	x.stdin.Close()
	kill := time.AfterFunc(patience, func() { _ = x.cmd.Process.Kill() })
	defer kill.Stop()
	_ = x.cmd.Wait() // the code says it all
	b.boxes = slices.DeleteFunc(b.boxes, func(y *box) bool { return x == y })
	return x.cmd.ProcessState.ExitCode()
}

// stop ends a box at once.
func (b *bench) stop(x *box) {
	_ = x.cmd.Process.Kill() // it may have ended
	b.end(x)
}

package main

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"confit/integration/internal/harness"
)

// patience is how long a box may take to say something: far more than any needs, so that only a real fault ends a measurement.
const patience = 30 * time.Second

// box is a program as PID 1: both confit and its yardsticks.
type box struct {
	*harness.Init
	name  string
	stdin *os.File
	lines chan string // what it prints
	log   string      // the file behind its stderr
	begun time.Duration
}

// start runs a program in a box.
func (b *bench) start(s *site, argv ...string) (*box, error) {
	return b.startUnder(strain{}, s, argv...)
}

// startUnder runs a program in a box under a strain. The environment is bare, so that no CONFIT_… of the caller gets in.
func (b *bench) startUnder(under strain, s *site, argv ...string) (*box, error) {
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
	x := &box{name: filepath.Base(path), stdin: stdin, lines: make(chan string, 1<<14), log: log.Name()}
	x.Init, err = harness.Command{
		Box: under.box, Gate: true,
		Argv: append([]string{path}, argv[1:]...), Env: []string{"PATH=" + os.Getenv("PATH")},
		Stdin: in, Stdout: out, Stderr: log,
	}.Start()
	if err != nil {
		stdin.Close()
		stdout.Close()
		return nil, err
	}
	go x.read(stdout)
	b.boxes = append(b.boxes, x)
	if under.put != nil {
		err = under.put(x.PID)
	}
	x.begun = now()
	return x, errors.Join(err, x.Open())
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

// fault says what a box did wrong, with its last words.
func (x *box) fault(what string) error {
	log, _ := os.ReadFile(x.log)
	lines := strings.Split(strings.TrimSpace(string(log)), "\n")
	last := lines[max(0, len(lines)-5):]
	return fmt.Errorf("%s %s; the end of its log:\n%s", x.name, what, strings.Join(last, "\n"))
}

// end closes the box's stdin, at which an app here ends, and returns the exit code.
func (b *bench) end(x *box) int {
	x.stdin.Close()
	select {
	case <-x.Ended():
	case <-time.After(patience):
	}
	x.Close()
	b.boxes = slices.DeleteFunc(b.boxes, func(y *box) bool { return x == y })
	return x.State().ExitCode()
}

// stop ends a box at once.
func (b *bench) stop(x *box) {
	x.Kill()
	b.end(x)
}

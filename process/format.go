package process

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// shell runs scripts without #!.
const shell = "/bin/sh"

// forkExec starts a program, or has the shell run a script without #!, as execvp(3) does. What
// can't be a script isn't given to the shell, which would call a program of another architecture a
// syntax error, and an empty file a success.
func forkExec(path string, args []string, how *syscall.ProcAttr) (pid int, err error) {
	pid, err = syscall.ForkExec(path, args, how)
	switch {
	case errors.Is(err, unix.ENOEXEC):
		if err = notForShell(path); err == nil {
			pid, err = syscall.ForkExec(shell, append([]string{shell, path}, args[1:]...), how)
		}
	case errors.Is(err, unix.ENOENT):
		err = cmp.Or(checkInterpreter(path), checkLoader(path), err)
	}
	return pid, err
}

// checkFormat says why the kernel will not execute a file, as far as the first bytes tell.
func checkFormat(path string) error {
	start := firstBytes(path)
	switch {
	case start == nil: // it may be executable all the same
		return nil
	case bytes.HasPrefix(start, []byte("#!")):
		return checkInterpreter(path)
	case isELF(start) && runsHere(start):
		return checkLoader(path)
	}
	return notForShell(path)
}

// maxFirstLine is how much the kernel reads of a script, in bytes: BINPRM_BUF_SIZE of
// linux/binfmts.h.
const maxFirstLine = 256

// firstBytes is the start of a file; nil if it can't be read.
func firstBytes(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	buffer := make([]byte, maxFirstLine)
	n, _ := f.Read(buffer)
	return buffer[:n]
}

// checkInterpreter finds out whether a script lacks its interpreter: execve(2) fails as if the
// script were missing.
func checkInterpreter(path string) error {
	line, _, _ := bytes.Cut(firstBytes(path), []byte("\n"))
	line, isScript := bytes.CutPrefix(line, []byte("#!"))
	if !isScript {
		return nil
	}
	name, _, _ := bytes.Cut(bytes.TrimLeft(line, " \t"), []byte(" "))
	if err := executable(string(name)); err != nil {
		return fmt.Errorf("its first line names %q: %w", name, err)
	}
	return nil
}

// notForShell says why the shell can't run a file that the kernel doesn't execute: a script has no
// NUL in its first line.
func notForShell(path string) error {
	start := firstBytes(path)
	line, _, _ := bytes.Cut(start, []byte("\n"))
	switch {
	case isELF(start):
		return fmt.Errorf("%w: it is built for another architecture, or broken", unix.ENOEXEC)
	case len(start) == 0:
		return fmt.Errorf("%w: it is empty, or can't be read", unix.ENOEXEC)
	case bytes.IndexByte(line, 0) >= 0:
		return fmt.Errorf("%w: it is no program of this system, and no script", unix.ENOEXEC)
	case executable(shell) != nil:
		return fmt.Errorf("%w: it is a script without #!, and there is no %s", unix.ENOEXEC, shell)
	}
	return nil
}

// isELF reports that a file begins as programs do, elf(5).
func isELF(start []byte) bool { return bytes.HasPrefix(start, []byte("\x7fELF")) }

// The places in the head of a program, elf(5): EI_DATA, the order of its bytes, and e_machine, what
// it is built for.
const (
	elfData    = 5
	elfMachine = 18
	elfEnd     = 20
)

// alsoRuns are machines, in the order of bytes that all of them have, whose programs an own one's
// kernel may run, too: amd64 those of 386, arm64 those of arm.
var alsoRuns = [][2][2]byte{{{62, 0}, {3, 0}}, {{183, 0}, {40, 0}}}

// runsHere reports that a program is built for this machine, as this one is.
func runsHere(start []byte) bool {
	own := firstBytes(self)
	if len(own) < elfEnd || len(start) < elfEnd {
		return own == nil
	}
	machines := [2][2]byte{[2]byte(own[elfMachine:elfEnd]), [2]byte(start[elfMachine:elfEnd])}
	return own[elfData] == start[elfData] && (machines[0] == machines[1] || slices.Contains(alsoRuns, machines))
}

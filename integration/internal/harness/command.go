package harness

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
)

// Command is a program, and the box that it runs in.
type Command struct {
	Box
	Argv, Env      []string // Argv[0] is the program's path
	Dir            string
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Files          []*os.File // descriptors from 3 on
	Terminal       *Terminal  // descriptors 0 to 2, and the controlling terminal; nil: the three above
	Gate           bool       // the program starts when Init.Open is called, and else at once
	Bare           bool       // nothing but a PID namespace, with the /proc of outside: quick
}

// Start makes the box and starts the program in it, as the leader of a session, as a container runtime does. Close ends it.
func (c Command) Start() (*Init, error) {
	i := &Init{name: filepath.Base(c.Argv[0]), gated: c.Gate, ended: make(chan struct{})}
	i.cmd = &exec.Cmd{
		Path: c.Argv[0], Args: c.Argv, Env: c.Env, Dir: c.Dir,
		Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr, ExtraFiles: c.Files,
		SysProcAttr: &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWPID, Pdeathsig: ParentEnd, Setsid: true},
	}
	if c.Terminal != nil {
		c.Terminal.attach(i.cmd)
	}
	start := i.start
	if !c.Bare {
		start = func() error { return i.enter(c) }
	}
	if err := start(); err != nil {
		return nil, fmt.Errorf("cannot start %q in a box: %w", c.Argv[0], err)
	}
	if c.Terminal != nil {
		c.Terminal.leave()
	}
	return i, nil
}

// enter puts the program behind the process that sets the box up. A gate keeps it from starting, at least until its namespaces were
// opened: a short life is over before.
func (i *Init) enter(c Command) error {
	inside, err := json.Marshal(interior{Box: c.Box, Argv: c.Argv, Env: c.Env, Files: len(c.Files)})
	if err != nil {
		return err
	}
	read, write, err := os.Pipe()
	if err != nil {
		return err
	}
	defer read.Close()
	i.gate = write
	i.cmd.Path, i.cmd.Args = "/proc/self/exe", []string{"enter"}
	i.cmd.Env = []string{RoleVariable + "=" + enterRole, boxVariable + "=" + string(inside)}
	i.cmd.ExtraFiles = append(append([]*os.File{}, c.Files...), read)
	c.isolate(i.cmd.SysProcAttr)
	if err := i.start(); err != nil {
		write.Close()
		return err
	}
	if !c.Gate {
		return write.Close()
	}
	return nil
}

func (b Box) isolate(attr *syscall.SysProcAttr) {
	attr.Cloneflags |= syscall.CLONE_NEWNS
	if b.Net {
		attr.Cloneflags |= syscall.CLONE_NEWNET
	}
	if b.OneUser {
		attr.Cloneflags |= syscall.CLONE_NEWUSER
		attr.UidMappings = []syscall.SysProcIDMap{{Size: 1}}
		attr.GidMappings = []syscall.SysProcIDMap{{Size: 1}}
	}
}

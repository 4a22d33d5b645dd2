package main

import (
	"bytes"
	"errors"
	"fmt"
	"os/exec"
	"strings"
)

// said is what a command line of a page printed, and how it ended.
type said struct {
	command     string
	out, errors string
	code        int
}

// says runs a command line as somebody at a shell would, whose rights a kubeconfig is for; "" is the administrator's. It shows what was
// printed. Any exit code will do.
func (s *stage) says(config, line string) (said, error) {
	var out, wrong bytes.Buffer
	var environment []string
	if config != "" {
		environment = []string{"KUBECONFIG=" + config}
	}
	cmd := s.program(environment, "sh", "-c", line)
	cmd.Stdout, cmd.Stderr = &out, &wrong
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		return said{}, err
	}
	a := said{line, out.String(), wrong.String(), cmd.ProcessState.ExitCode()}
	for command := range strings.Lines(line) {
		s.show("$ %s", strings.TrimRight(command, "\n"))
	}
	for text := range strings.Lines(a.out + a.errors) {
		s.show("%s", strings.TrimRight(text, "\n"))
	}
	s.show("exit code %d", a.code)
	return a, nil
}

func (a said) is(code int, words ...string) error {
	if a.code != code {
		return fmt.Errorf("%s: exit code %d, not %d: %s%s", a.command, a.code, code, a.out, a.errors)
	}
	for _, w := range words {
		if !strings.Contains(a.out+a.errors, w) {
			return fmt.Errorf("%s: it doesn't say %q: %s%s", a.command, w, a.out, a.errors)
		}
	}
	return nil
}

package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// program is one that is run as a person at a shell would, in the namespace.
func (s *stage) program(environment []string, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(s.ctx, name, args...)
	cmd.Dir = s.Source
	cmd.Env = append(s.environ("HOME="+s.run("home"), "KUBECONFIG="+s.kubeconfig()), environment...)
	return cmd
}

// kubectl is what kubectl prints.
func (s *stage) kubectl(args ...string) (string, error) {
	return answer(s.program(nil, s.bin("kubectl"), args...), "")
}

// apply is kubectl apply of a manifest.
func (s *stage) apply(manifest string) error {
	_, err := answer(s.program(nil, s.bin("kubectl"), "apply", "-f", "-"), manifest)
	return err
}

// applyFile is kubectl apply of one of the manifests beside this program.
func (s *stage) applyFile(name string) error {
	_, err := s.kubectl("apply", "-f", filepath.Join(s.Source, "integration/e2e/manifests", name))
	return err
}

// shell runs a command line of a page.
func (s *stage) shell(line string, environment ...string) (string, error) {
	return answer(s.program(environment, "sh", "-c", line), "")
}

// answer is what a program prints to stdout.
func answer(cmd *exec.Cmd, input string) (string, error) {
	var out, wrong bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(input), &out, &wrong
	if err := cmd.Run(); err != nil {
		return out.String(), fmt.Errorf("%s: %w: %s", strings.Join(cmd.Args, " "), err, bytes.TrimSpace(wrong.Bytes()))
	}
	return out.String(), nil
}

// status is what confit --status=json prints in a pod, as far as it is looked at.
type status struct {
	Phase        string
	LinksChanged *string
	App          struct {
		Restarts   int
		Entrypoint *struct{ Program string }
	}
	Mounted struct{ Hash string }
	Live    struct {
		Generation int
		Hash       string
	}
	Rejection *struct{ Step, Reason string }
}

// status is kubectl exec TARGET -- CONFIT --status=json, which must end with an exit code: kubectl ends with that of the command.
func (s *stage) status(target, confit string, code int) (found status, err error) {
	text, err := s.kubectl("exec", target, "--", confit, "--status=json")
	got := 0
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		got = exit.ExitCode()
	} else if err != nil {
		return found, err
	}
	if got != code {
		return found, errors.Join(fmt.Errorf("confit --status=json ended with %d, not with %d: %s", got, code, text), err)
	}
	s.show("kubectl exec %s -- %s --status=json: exit code %d", target, confit, code)
	return found, json.Unmarshal([]byte(text), &found)
}

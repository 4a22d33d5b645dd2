package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"confit/integration/internal/harness"
)

// What kubectl confit meets: an edit of which each app dies after it has accepted it, and an API server that is away.

// troubled are the Deployments, with a ConfigMap of the same name.
var troubled = []string{"page", "applied", "undone"}

func showTrouble(sc *stage) (err error) {
	s := &verdicts{stage: sc, dir: sc.run("trouble")}
	defer func() {
		_, again := s.lookEvery("1s")
		err = errors.Join(err, again)
	}()
	return s.steps(
		step{"Three Deployments of five pods; the kubelet has its own period", s.startTroubled},
		step{"sync and apply --undo: each app accepts the edit and dies of it; the first death stops the waves", s.late},
		step{"The API server is away in the middle of wait, sync, status --watch, apply and apply --undo", s.serverAway},
	)
}

func (s *verdicts) startTroubled() error {
	manifest, err := os.ReadFile(filepath.Join(s.Source, "integration/e2e/manifests/trouble.yaml"))
	if err := errors.Join(err, os.MkdirAll(s.dir, 0o755)); err != nil {
		return err
	}
	for _, name := range troubled {
		if err := s.apply(strings.ReplaceAll(string(manifest), "page", name)); err != nil {
			return err
		}
	}
	for _, name := range troubled {
		if _, err := s.rolledOut(name); err != nil {
			return err
		}
	}
	_, err = s.lookEvery("0s")
	return err
}

// writeText writes the manifest of a ConfigMap with another text into the file of its name.
func (s *verdicts) writeText(name, text string) error {
	return s.write(name+".yaml", configMaps, name, map[string]string{"text": text})
}

// settle brings a good text to pods at once. So they have it, and their kubelet looks at them by itself in a minute at the earliest.
func (s *verdicts) settle(text string, names ...string) error {
	line := "kubectl confit apply --no-check --all"
	for _, name := range names {
		if err := s.writeText(name, text); err != nil {
			return err
		}
		line += " -f " + name + ".yaml"
	}
	_, err := s.ends(0, line)
	return err
}

// holdsText holds that the API has a text.
func (s *verdicts) holdsText(name, want string) error {
	text, err := s.kubectl("get", "configmap", name, "-o", "jsonpath={.data.text}")
	if err == nil && text != want {
		err = fmt.Errorf("the ConfigMap %s has %q, not %q", name, text, want)
	}
	return err
}

func (s *verdicts) late() error {
	err := errors.Join(s.settle("second", "page", "undone"), s.writeText("page", "late by sync"), s.writeText("undone", "late by apply"))
	if err != nil {
		return err
	}
	undo, err := s.begin("kubectl confit apply -f undone.yaml --undo")
	if err != nil {
		return err
	}
	_, err = s.ends(3, "kubectl apply -f page.yaml\nkubectl confit sync configmap/page", "rejected it: soak", "Not synced: ")
	return errors.Join(err, s.endsSo(undo, 3, "rejected it: soak", "Not synced: ", "Put back configmap/undone", "is as it was before"), s.holdsText("undone", "second"))
}

// begun is a command line that goes on beside others.
type begun struct {
	harness.Transcript
	line string
	cmd  *exec.Cmd
	code chan int
}

// begin begins one where the files are.
func (s *verdicts) begin(line string) (*begun, error) {
	b := &begun{line: line, cmd: s.program(nil, "sh", "-c", "cd "+s.dir+" && exec "+line), code: make(chan int, 1)}
	b.cmd.Stdout, b.cmd.Stderr = b.Stream("stdout"), b.Stream("stderr")
	if err := b.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = b.cmd.Wait(); b.code <- b.cmd.ProcessState.ExitCode() }()
	return b, nil
}

// endsSo waits for the end of a command line, which must have this exit code and have printed all these words. It shows what was printed.
func (s *verdicts) endsSo(b *begun, code int, words ...string) error {
	select {
	case got := <-b.code:
		s.show("$ %s\n%s\nexit code %d", b.line, &b.Transcript, got)
		return said{b.line, b.Transcript.String(), "", got}.is(code, words...)
	case <-time.After(patience):
		return fmt.Errorf("%s goes on:\n%s", b.line, &b.Transcript)
	}
}

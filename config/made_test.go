package config

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"confit/integration/answers"
)

// TestMadeMistakes makes a mistake of spelling, of kind, of place and of value of each flag and of each line and option of a links file, as
// the tables of this package have them, and runs the program on each. go test -run MadeMistakes -update writes the answers anew.
func TestMadeMistakes(t *testing.T) {
	m := newMaker(t)
	m.flags()
	m.lines()
	answers.Hold(t, "testdata/mistakes.txt", *update, m.list)
}

// maker makes mistakes with a program, in a directory that has the volume web with the key a, and links that are right.
type maker struct {
	t            *testing.T
	program, dir string
	list         []answers.Mistake
}

func newMaker(t *testing.T) *maker {
	t.Helper()
	m := &maker{t: t, dir: t.TempDir()}
	m.program = filepath.Join(m.dir, "confit")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", m.program, "..").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	writeFile(t, filepath.Join(m.dir, "volumes/web/a"), "x")
	writeFile(t, filepath.Join(m.dir, "volumes/file"), "x")
	if code, said := m.run(attempt{}); code != 0 || said != "" {
		t.Fatalf("without a mistake it ends with %d: %s", code, said)
	}
	return m
}

// attempt is a run: all that is beside what is right.
type attempt struct {
	args, environ []string
	lines         string // of the links file, from its second on
	alone         bool   // without --check: the arguments say what to do
}

func (m *maker) run(r attempt) (code int, said string) {
	m.t.Helper()
	links := filepath.Join(m.dir, "links")
	writeFile(m.t, links, m.here("link web/a HERE/etc/a\n"+r.lines+"\n"))
	args := slices.Concat([]string{"--links", links, "--volumes", m.here("HERE/volumes"), "--state", m.here("HERE/state")}, r.args)
	if !r.alone {
		args = slices.Insert(args, 0, "--check")
	}
	for i := range args {
		args[i] = m.here(args[i])
	}
	cmd := exec.CommandContext(m.t.Context(), m.program, args...)
	var stderr bytes.Buffer
	cmd.Stderr, cmd.Dir = &stderr, m.dir
	cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "KUBERNETES_SERVICE_HOST=10.0.0.1"}, r.environ...)
	for i := range cmd.Env {
		cmd.Env[i] = m.here(cmd.Env[i])
	}
	err := cmd.Run()
	if _, ended := errors.AsType[*exec.ExitError](err); err != nil && !ended {
		m.t.Fatal(err)
	}
	return cmd.ProcessState.ExitCode(), strings.ReplaceAll(stderr.String(), m.dir, "HERE")
}

func (m *maker) here(text string) string { return strings.ReplaceAll(text, "HERE", m.dir) }

// make makes a mistake, and notes the answer.
func (m *maker) make(r attempt, what answers.Mistake) {
	m.t.Helper()
	what.Code, what.Answer = m.run(r)
	what.Answer = strings.TrimPrefix(what.Answer, "confit: ")
	if what.Made == "" {
		what.Made = strings.Join(slices.Concat(r.environ, r.args), " ")
	}
	if r.lines != "" {
		what.Made = strings.Join(strings.Split(r.lines, "\n"), " / ")
	}
	m.list = append(m.list, what)
}

// inLinks is the place of the line of an attempt.
const inLinks = "HERE/links:2: "

// slip exchanges the last two letters of a name that differ.
func slip(name string) string {
	letters := []byte(name)
	for i := len(letters) - 1; i > 0; i-- {
		if letters[i] != letters[i-1] {
			letters[i], letters[i-1] = letters[i-1], letters[i]
			return string(letters)
		}
	}
	return name + "x"
}

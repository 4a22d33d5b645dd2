//go:build check

package examples

import (
	"encoding/json"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// pathVariable is the variable that every image has.
const pathVariable = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// dockerfile is what the tests need of one.
type dockerfile struct {
	steps      []instruction // COPY and RUN, in order
	env        []string
	entrypoint []string // with CMD
	user       int
	stopSignal syscall.Signal
}

// instruction is a keyword with the rest of its line.
type instruction struct{ name, rest string }

// readDockerfile reads the last stage. It fails the test at an instruction that it doesn't know.
func readDockerfile(t *testing.T, file string) dockerfile {
	t.Helper()
	text, err := os.ReadFile(file)
	must(t, err)
	d := dockerfile{env: []string{pathVariable}, stopSignal: syscall.SIGTERM}
	stages := strings.Split("\n"+string(text), "\nFROM ")
	for _, i := range instructions("FROM " + stages[len(stages)-1]) {
		d.read(t, i)
	}
	return d
}

func instructions(text string) (list []instruction) {
	text = strings.ReplaceAll(text, "\\\n", "")
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		name, rest, _ := strings.Cut(line, " ")
		list = append(list, instruction{name, strings.TrimSpace(rest)})
	}
	return list
}

func (d *dockerfile) read(t *testing.T, i instruction) {
	t.Helper()
	switch i.name {
	case "ARG", "FROM": // this machine
	case "COPY", "RUN":
		d.steps = append(d.steps, i)
	case "ENV":
		d.env = append(d.env, i.rest)
	case "ENTRYPOINT", "CMD":
		d.entrypoint = append(d.entrypoint, i.words(t)...)
	case "USER":
		user, err := strconv.Atoi(i.rest)
		must(t, err)
		d.user = user
	case "STOPSIGNAL":
		if d.stopSignal = unix.SignalNum(i.rest); d.stopSignal == 0 {
			t.Fatalf("STOPSIGNAL %s is none", i.rest)
		}
	default:
		t.Fatalf("the Dockerfile has %s, which this test doesn't know", i.name)
	}
}

// words are those of a command: a list, or what a shell takes.
func (i instruction) words(t *testing.T) (words []string) {
	t.Helper()
	if !strings.HasPrefix(i.rest, "[") {
		return []string{"/bin/sh", "-c", i.rest}
	}
	must(t, json.Unmarshal([]byte(i.rest), &words))
	return words
}

//go:build check

package examples

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
	"confit/integration/volume"
)

// statusPage are the blocks of docs/status.md.
var statusPage = map[string]runner{
	" 1":                       printStatus,
	" 2":                       heldBy("status/document_test.go", "docs/status.md"),
	"From another container 1": manifestOf("status.md"),
	"Alerts 1":                 alertsByJQ,
}

// kubectl runs a script with a kubectl that knows one pod. It comes into the container as the real one does.
func (c *container) kubectl(script string) (string, error) {
	bin := c.t.TempDir()
	visit := strings.Join(c.Visit("-m", "-p", "-r", "env", "-C", "/", pathVariable).Args, " ")
	program := fmt.Sprintf(`#!/bin/sh
case "$*" in
"exec "*" -- "*) shift 3; exec %s "$@" ;;
*) exit 1 ;;
esac
`, visit)
	if err := harness.WriteProgram(filepath.Join(bin, "kubectl"), []byte(program)); err != nil {
		return "", err
	}
	return shell(script, "", "PATH="+bin+":"+os.Getenv("PATH"))
}

// shell runs a script, and fails if it says anything on standard error.
func shell(script, stdin string, env ...string) (string, error) {
	var complaints strings.Builder
	cmd := exec.Command("sh", "-euc", script)
	cmd.Env, cmd.Stdin, cmd.Stderr = append(os.Environ(), env...), strings.NewReader(stdin), &complaints
	out, err := cmd.Output()
	if complaints.Len() > 0 {
		err = errors.Join(err, errors.New(complaints.String()))
	}
	return string(out), err
}

// rejecting is a pod without inotify, whose edit its validator has refused.
func rejecting(t *testing.T) *container {
	t.Helper()
	c := pod{
		configMaps: map[string]volume.Payload{"app": volume.Strings("text", first)}, app: []string{"sleep", "infinity"},
		base: func(c *container) { c.refused = harness.Refuse(unix.EMFILE, unix.SYS_INOTIFY_INIT1) },
	}.start(t, "link app/text /etc/app/text\nvalidate sh -c 'echo as it is; ! grep second {candidate}/app/text'\nrescan 200ms\n")
	c.edit("text", first, second)
	c.Eventually("a status that says so", c.rejected)
	return c
}

// rejected is exit code 3 of --status. It comes a moment after the line of the log.
func (c *container) rejected() bool {
	_, err := execute("confit", "--status")(c)
	return exitCode(err) == 3
}

// exitCode is -1 for whatever else went wrong.
func exitCode(err error) int {
	var ended *exec.ExitError
	if errors.As(err, &ended) {
		return ended.ExitCode()
	}
	return -1
}

// printStatus wants the text for people, and the exit code that the page says.
func printStatus(t *testing.T, block string) {
	out, err := rejecting(t).kubectl(block)
	if exitCode(err) != 3 || !strings.HasPrefix(out, "REJECTED: ") || !strings.Contains(out, "in step validate") {
		t.Errorf("the status is %s (%v)", out, err)
	}
}

// alertsByJQ runs each line on a status in which what is mounted was rejected. What -e finds has exit code 0, and 1 is silence.
func alertsByJQ(t *testing.T, block string) {
	status, err := execute("confit", "--status=json")(rejecting(t))
	if err == nil || !strings.HasPrefix(status, "{") {
		t.Fatalf("the status of a rejection is %s (%v)", status, err)
	}
	said := sayings(t, block, status)
	for part, want := range map[string]string{
		"rejection |": "^validate: .*ended with exit 1\nas it is\n", hangs: "^(false|null)\n$", waits: "^$",
		"polling": "^/confit/app\n$",
	} {
		wantSaid(t, said, part, want)
	}
	for name, tt := range map[string]struct{ change, hangs, waits string }{
		"it hangs":        {"", "true", ""},
		"it waits":        {`| .app.entrypoint = {program: "sh start.sh", since: .pendingSince, until: (now + 60 | todate)}`, "false", "sh start.sh\n"},
		"it hangs, after": {`| .app.entrypoint = {program: "sh start.sh", since: .pendingSince, until: (now - 60 | todate)}`, "true", ""},
	} {
		changed, err := shell("jq '.pendingSince = (now - 1000 | todate) "+tt.change+"'", status)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		said := sayings(t, block, changed)
		wantSaid(t, said, hangs, "^"+tt.hangs+"\n$")
		wantSaid(t, said, waits, "^"+tt.waits+"$")
	}
}

// Parts of lines that are about a change on its way.
const hangs, waits = "jq -e '.pendingSince", ".program'"

// sayings are what the lines of a block print about a status.
func sayings(t *testing.T, block, status string) map[string]string {
	t.Helper()
	said := map[string]string{}
	for line := range strings.Lines(block) {
		if strings.HasPrefix(line, "jq ") {
			out, err := shell(line, status)
			if err != nil && exitCode(err) != 1 {
				t.Errorf("%s: %v", line, err)
			}
			said[line] = out
		}
	}
	return said
}

func wantSaid(t *testing.T, said map[string]string, part, want string) {
	t.Helper()
	for line, out := range said {
		if strings.Contains(line, part) {
			if !regexp.MustCompile(want).MatchString(out) {
				t.Errorf("%s says %q, want %q", line, out, want)
			}
			return
		}
	}
	t.Errorf("no line has %q", part)
}

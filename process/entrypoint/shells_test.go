package entrypoint

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// patience bounds every wait. It is long for the sake of a busy machine; no test waits for it to pass.
const patience = time.Minute

// TestShells asks bash and dash themselves.
func TestShells(t *testing.T) {
	askShells(t, map[string][]string{"bash": {"bash"}, "dash": {"dash"}})
}

// askShells runs the texts of the table that have a daemon, and holds what the table says of them.
func askShells(t *testing.T, commands map[string][]string) {
	t.Parallel()
	programs := t.TempDir()
	makeProgram(t, filepath.Join(programs, "daemon"), "#!/bin/sh\necho $$ >>\"$SAYS\"\n")
	makeProgram(t, filepath.Join(programs, "work"), "#!/bin/sh\n")
	for _, name := range []string{"cat", "printf"} {
		path, err := exec.LookPath(name)
		if err == nil {
			err = os.Symlink(path, filepath.Join(programs, name))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	for _, r := range table(t) {
		command := commands[r.how.Shell]
		if command == nil || !strings.Contains(r.text, "daemon") {
			continue
		}
		asked++
		pid, daemons := runText(t, command, r, programs)
		if got := slices.Contains(daemons, strconv.Itoa(pid)); got != r.executes || len(daemons) == 0 {
			t.Errorf("%s: the shell is %d, the daemons were %v, want %v\n%s", r.title, pid, daemons, r.executes, r.text)
		}
	}
	if asked == 0 {
		t.Errorf("the table has nothing for %v", commands)
	}
}

func makeProgram(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// runText runs a shell with a text to its end. It says which process it was, and which ones were the daemon.
func runText(t *testing.T, command []string, r row, programs string) (pid int, daemons []string) {
	t.Helper()
	dir := t.TempDir()
	script, says := filepath.Join(dir, "script"), filepath.Join(dir, "says")
	makeProgram(t, script, r.text)
	args := append(slices.Clone(command[1:]), script)
	if r.how.Command {
		args = append(slices.Clone(command[1:]), "-c", r.text, script)
	}
	if r.how.Args {
		args = append(args, "daemon")
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, command[0], args...)
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + programs, "SAYS=" + says}
	out, err := cmd.CombinedOutput()
	if exit := (*exec.ExitError)(nil); ctx.Err() != nil || err != nil && !errors.As(err, &exit) {
		t.Fatalf("%s: %v\n%s", r.title, err, out)
	}
	text, err := os.ReadFile(says)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return cmd.Process.Pid, strings.Fields(string(text))
}

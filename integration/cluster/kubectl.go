package cluster

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Kubectl runs kubectl for whom a kubeconfig is, in a directory, with this on its standard input. It returns what it printed to
// stdout and to stderr, and whether it ended with 0.
func (c *Cluster) Kubectl(kubeconfig, directory, input string, args ...string) (out, said string, ok bool) {
	c.t.Helper()
	var stdout, stderr bytes.Buffer
	cmd := exec.CommandContext(c.t.Context(), filepath.Join(os.Getenv(Variable), "kubectl"), args...)
	cmd.Env = append(os.Environ(), "KUBECONFIG="+kubeconfig)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = directory, strings.NewReader(input), &stdout, &stderr
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		c.t.Fatal(err)
	}
	return stdout.String(), stderr.String(), err == nil
}

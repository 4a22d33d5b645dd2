package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// BuildConfit builds confit as it is shipped.
func BuildConfit(path string) error {
	root, err := Root()
	if err != nil {
		return err
	}
	return GoBuild(root, path, []string{"CGO_ENABLED=0"}, "-trimpath", "-ldflags", "-s -w")
}

// BuildConfitctl builds the program that goes with it, as it is shipped.
func BuildConfitctl(path string) error {
	root, err := Root()
	if err != nil {
		return err
	}
	return GoBuild(filepath.Join(root, "confitctl"), path, []string{"GOWORK=off", "CGO_ENABLED=0"}, "-trimpath", "-ldflags", "-s -w")
}

// kubeletVariable names a program that was built already: it is large, and a CI may have done so.
const kubeletVariable = "INTEGRATION_KUBELET"

// BuildKubelet returns the path of the program around the kubelet's own writer. It builds it into dir, unless INTEGRATION_KUBELET names
// one.
func BuildKubelet(dir string) (string, error) {
	if path := os.Getenv(kubeletVariable); path != "" {
		return filepath.Abs(path)
	}
	root, err := Root()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "kubelet")
	return path, GoBuild(filepath.Join(root, "integration/kubelet"), path, []string{"GOWORK=off", "CGO_ENABLED=0"})
}

// GoBuild builds the package in a directory, with these variables and flags besides the usual ones.
func GoBuild(dir, path string, env []string, flags ...string) error {
	return build(dir, env, append(append([]string{"go", "build", "-o", path}, flags...), ".")...)
}

// buildTimeout is for a slow machine: the kubelet takes 90 s on two cores where nothing of it was built before.
const buildTimeout = 8 * time.Minute

func build(dir string, env []string, argv ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), buildTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), env...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("cannot build, %q: %w\n%s", argv, err, out)
	}
	return nil
}

// Root is the directory of confit's module, above the working directory.
func Root() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "Makefile")); err == nil {
			return dir, nil
		}
	}
	return "", errors.New("cannot find the Makefile above the working directory")
}

// CopySelf copies the running program to a path where every user may execute it.
func CopySelf(path string) error {
	content, err := os.ReadFile("/proc/self/exe")
	if err != nil {
		return err
	}
	return WriteProgram(path, content)
}

// WriteProgram writes a file that is executed soon. No child that is being started at this moment inherits its descriptor: what anybody
// has open for writing can't be executed, ETXTBSY of execve(2).
func WriteProgram(path string, content []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, content, 0o755)
}

// AsRoot copies setpriv(1) into a directory, for a group whose members become root by it. It returns the words to put before a
// command.
func AsRoot(dir string, group int) (argv []string, err error) {
	setpriv, err := exec.LookPath("setpriv")
	if err != nil {
		return nil, err
	}
	content, err := os.ReadFile(setpriv)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "as-root")
	err = errors.Join(WriteProgram(path, content), os.Chown(path, 0, group), os.Chmod(path, 0o710|os.ModeSetuid))
	return []string{path, "--reuid=0", "--regid=0", "--clear-groups"}, err
}

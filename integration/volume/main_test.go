package volume_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"confit/integration/volume"
	"confit/integration/world"
)

// Environment of these tests.
const (
	envReal  = "INTEGRATION_KUBELET" // path of a built integration/kubelet, so that a suite builds it once
	envWrite = "VOLUME_TEST_WRITE"   // makes this test binary write the payload on its stdin into the named volume
)

// Bounds, for the slowest machine that should still pass. A cold build takes about 90 s on two cores.
const (
	buildTimeout = 8 * time.Minute
	runTimeout   = time.Minute
)

func TestMain(m *testing.M) {
	if dir := os.Getenv(envWrite); dir != "" {
		os.Exit(writeStdin(dir))
	}
	world.Enter()
	code := m.Run()
	_ = os.RemoveAll(buildDir)
	os.Exit(code)
}

// wire is a payload as both programs read it.
type wire struct {
	Keys map[string]wireKey `json:"keys"`
}

type wireKey struct {
	Base64 []byte      `json:"base64"`
	Mode   fs.FileMode `json:"mode"`
}

// encode makes the line of input that asks for p.
func encode(t *testing.T, p volume.Payload) []byte {
	t.Helper()
	w := wire{Keys: map[string]wireKey{}}
	for key, file := range p {
		if file.Mode == 0 {
			file.Mode = volume.DefaultMode
		}
		w.Keys[key] = wireKey{Base64: append([]byte{}, file.Data...), Mode: file.Mode}
	}
	line, err := json.Marshal(w)
	if err != nil {
		t.Fatalf("cannot encode the payload: %v", err)
	}
	return append(line, '\n')
}

// oursIn is the environment that makes the test binary our writer for the volume dir. A binary built with -race would else
// sleep for a second before it exits.
func oursIn(dir string) []string {
	return []string{envWrite + "=" + dir, "GORACE=atexit_sleep_ms=0"}
}

// writeStdin is our writer as a program: one payload on stdin, exit status 1 when it could not be written.
func writeStdin(dir string) int {
	var w wire
	err := json.NewDecoder(os.Stdin).Decode(&w)
	if err == nil {
		p := volume.Payload{}
		for key, k := range w.Keys {
			p[key] = volume.File{Data: k.Base64, Mode: k.Mode}
		}
		err = volume.Write(dir, p)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// buildDir holds the real writer if this run built it.
var buildDir string

// build returns the path of the real writer, built at its first use unless the environment names one.
var build = sync.OnceValues(func() (string, error) {
	if path := os.Getenv(envReal); path != "" {
		return filepath.Abs(path)
	}
	dir, err := os.MkdirTemp("", "integration-kubelet-")
	if err != nil {
		return "", err
	}
	buildDir = dir
	path := filepath.Join(dir, "kubelet")
	ctx, cancel := context.WithTimeout(context.Background(), buildTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, "go", "build", "-o", path, ".")
	cmd.Dir = filepath.Join("..", "kubelet")
	cmd.Env = append(os.Environ(), "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("cannot build integration/kubelet: %w\n%s", err, out)
	}
	return path, nil
})

// kubelet returns the path of the real writer.
func kubelet(t *testing.T) string {
	t.Helper()
	path, err := build()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// run runs a program to its end and returns its exit status and output.
func run(t *testing.T, stdin []byte, env []string, argv ...string) (int, string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), runTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stdin = bytes.NewReader(stdin)
	out, err := cmd.CombinedOutput()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.Exited() {
		return exit.ExitCode(), string(out)
	}
	if err != nil {
		t.Fatalf("cannot run %q: %v\n%s", argv, err, out)
	}
	return 0, string(out)
}

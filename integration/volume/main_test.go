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
	"sync"
	"testing"

	"confit/integration/internal/harness"
	"confit/integration/testenv"
	"confit/integration/volume"
)

// volumeVariable names the volume into which our writer, a part of this test binary, writes the payload on its stdin.
const volumeVariable = "VOLUME"

func TestMain(m *testing.M) {
	harness.Play(harness.Roles{"write": writeStdin})
	testenv.Enter()
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
	return []string{harness.RoleVariable + "=write", volumeVariable + "=" + dir, "GORACE=atexit_sleep_ms=0"}
}

// writeStdin is our writer as a program: one payload on stdin, exit status 1 when it could not be written.
func writeStdin() int {
	var w wire
	err := json.NewDecoder(os.Stdin).Decode(&w)
	if err == nil {
		p := volume.Payload{}
		for key, k := range w.Keys {
			p[key] = volume.File{Data: k.Base64, Mode: k.Mode}
		}
		err = volume.Write(os.Getenv(volumeVariable), p)
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
var build = sync.OnceValues(func() (path string, err error) {
	if buildDir, err = os.MkdirTemp("", "integration-kubelet-"); err != nil {
		return "", err
	}
	return harness.BuildKubelet(buildDir)
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
	ctx, cancel := context.WithTimeout(t.Context(), harness.Patience)
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

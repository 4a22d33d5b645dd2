//go:build linux

// Node is the part of a kubelet that runs commands in containers, for the fleets of integration/fleet, which have a real API server and no
// node. It prints its port on 127.0.0.1, and ends with its standard input.
//
//	node DIR    the root of pod P is DIR/P
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	client "k8s.io/client-go/util/exec"
	cri "k8s.io/cri-streaming/pkg/streaming/remotecommand"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "write: node DIR")
		os.Exit(64)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/exec/{namespace}/{pod}/{container}", serve)
	log.SetOutput(io.Discard)            // handshakes that the API server has broken off
	server := httptest.NewTLSServer(mux) // the API server asks for no certificate that it knows
	defer server.Close()
	where, err := url.Parse(server.URL)
	if err != nil {
		fmt.Fprintln(os.Stderr, "node:", err)
		os.Exit(1)
	}
	fmt.Println(where.Port())
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// serve runs a command as the API server asks a kubelet for it.
func serve(w http.ResponseWriter, r *http.Request) {
	options, err := cri.NewOptions(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	cri.ServeExec(w, r, runtime{}, r.PathValue("pod"), "", r.PathValue("container"), r.URL.Query()["command"], options,
		time.Hour, time.Minute, cri.SupportedStreamingProtocols)
}

// runtime is what containerd is to a kubelet.
type runtime struct{}

// ExecInContainer runs a command in the root of a pod, which has one container.
func (runtime) ExecInContainer(ctx context.Context, pod, _, _ string, words []string, in io.Reader, out, err io.WriteCloser, _ bool, _ <-chan cri.TerminalSize, _ time.Duration) error {
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Env, cmd.Dir = []string{"PATH=/bin"}, "/"
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: filepath.Join(os.Args[1], filepath.Base(pod))}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, err
	wrong := cmd.Run()
	if cmd.ProcessState != nil && cmd.ProcessState.Exited() && cmd.ProcessState.ExitCode() > 0 {
		return client.CodeExitError{Err: wrong, Code: cmd.ProcessState.ExitCode()}
	}
	return wrong
}

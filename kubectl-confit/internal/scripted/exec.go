package scripted

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	api "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/remotecommand"
	"k8s.io/client-go/util/exec"
	cri "k8s.io/cri-streaming/pkg/streaming/remotecommand"
	"k8s.io/streaming/pkg/httpstream/wsstream"
)

// exec runs the script for a container: by WebSocket as the API server speaks it, or by SPDY as the kubelet does. Of a
// container that somebody attaches to, the script plays what it runs.
func (s *Server) exec(w http.ResponseWriter, r *http.Request, k key, attach bool) error {
	pod, _ := s.store.get(k).(*corev1.Pod)
	if pod == nil {
		return notFound(resource{name: "pods"}, k)
	}
	q := r.URL.Query()
	e := Exec{Namespace: k.namespace, Pod: k.name, Container: q.Get("container"), Words: q["command"]}
	if !runs(pod, e.Container) {
		return api.NewInternalError(fmt.Errorf("container not found (%q)", e.Container))
	}
	if wsstream.IsWebSocketRequest(r) {
		return s.webSocket(w, r, e, q.Get("stdin") == "true")
	}
	if attach {
		options := &cri.Options{Stdin: q.Get("stdin") == "true", Stdout: q.Get("stdout") == "true", Stderr: q.Get("stderr") == "true"}
		cri.ServeAttach(w, r, executor{s, e}, k.name, "", e.Container, options, time.Hour, time.Minute, cri.SupportedStreamingProtocols)
		return nil
	}
	options := &cri.Options{Stdin: q.Get("stdin") == "true", Stdout: true, Stderr: true}
	cri.ServeExec(w, r, executor{s, e}, k.name, "", e.Container, e.Words, options, time.Hour, time.Minute, cri.SupportedStreamingProtocols)
	return nil
}

// runs reports whether a container of a pod runs. One without a status does.
func runs(pod *corev1.Pod, name string) bool {
	for _, list := range [][]corev1.ContainerStatus{pod.Status.ContainerStatuses, pod.Status.InitContainerStatuses} {
		for _, c := range list {
			if c.Name == name {
				return c.State.Running != nil
			}
		}
	}
	return true
}

// executor is the script for SPDY.
type executor struct {
	server *Server
	exec   Exec
}

// ExecInContainer runs it.
func (x executor) ExecInContainer(_ context.Context, _, _, _ string, _ []string, in io.Reader, out, err io.WriteCloser, _ bool, _ <-chan cri.TerminalSize, _ time.Duration) error {
	x.exec.Stdin, x.exec.Stdout, x.exec.Stderr = orEmpty(in), out, err
	if code := x.server.script(x.server.ended, x.exec); code != 0 {
		return exec.CodeExitError{Err: fmt.Errorf("exit code %d", code), Code: code}
	}
	return nil
}

// AttachContainer plays what runs. Its exit code nobody is told.
func (x executor) AttachContainer(_ context.Context, _, _, _ string, in io.Reader, out, err io.WriteCloser, _ bool, _ <-chan cri.TerminalSize) error {
	x.exec.Stdin, x.exec.Stdout, x.exec.Stderr = orEmpty(in), orNowhere(out), orNowhere(err)
	x.server.script(x.server.ended, x.exec)
	return nil
}

func orNowhere(w io.WriteCloser) io.Writer {
	if w == nil {
		return io.Discard
	}
	return w
}

func orEmpty(r io.Reader) io.Reader {
	if r == nil {
		return eof{}
	}
	return r
}

type eof struct{}

func (eof) Read([]byte) (int, error) { return 0, io.EOF }

// webSocket runs it over the channels of remote command version 5.
func (s *Server) webSocket(w http.ResponseWriter, r *http.Request, e Exec, stdin bool) error {
	in := wsstream.IgnoreChannel
	if stdin {
		in = wsstream.ReadChannel
	}
	conn := wsstream.NewConn(map[string]wsstream.ChannelProtocolConfig{remotecommand.StreamProtocolV5Name: {Binary: true,
		Channels: []wsstream.ChannelType{in, wsstream.WriteChannel, wsstream.WriteChannel, wsstream.WriteChannel, wsstream.ReadChannel}}})
	_, streams, err := conn.Open(w, r)
	if err != nil {
		return nil // the other side was told
	}
	defer func() { _ = conn.Close() }()
	ctx, gone := context.WithCancel(s.ended)
	defer gone()
	go func() { // nobody changes the size of a terminal here, so this channel ends with the connection
		_, _ = io.Copy(io.Discard, streams[remotecommand.StreamResize])
		gone()
	}()
	if len(e.Words) > 0 {
		_, _ = streams[remotecommand.StreamStdOut].Write(nil) // a client that has gone is seen at the next
	}
	e.Stdin, e.Stdout, e.Stderr = streams[remotecommand.StreamStdIn], streams[remotecommand.StreamStdOut], streams[remotecommand.StreamStdErr]
	code := s.script(ctx, e)
	if len(e.Words) == 0 {
		code = 0 // who attaches isn't told how it ends
	}
	outcome, err := json.Marshal(outcomeOf(code))
	if err == nil {
		_, _ = streams[remotecommand.StreamErr].Write(outcome)
	}
	return nil
}

// outcomeOf is an exit code, as the last message of the streams has it.
func outcomeOf(code int) metav1.Status {
	if code == 0 {
		return metav1.Status{Status: metav1.StatusSuccess}
	}
	return metav1.Status{Status: metav1.StatusFailure, Reason: remotecommand.NonZeroExitCodeReason,
		Message: fmt.Sprintf("command terminated with non-zero exit code: %d", code),
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: remotecommand.ExitCodeCauseType, Message: strconv.Itoa(code)}}}}
}

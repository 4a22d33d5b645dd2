package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	api "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"
	"k8s.io/streaming/pkg/httpstream"
)

// Bounds of a command, if it has no others.
const (
	DefaultTimeout = 10 * time.Second
	DefaultOutput  = 4 << 20 // bytes, of stdout and stderr each
)

// ErrTooMuch ends a command that prints more than is kept of it, and ErrTooSlow one that takes longer than it may.
var (
	ErrTooMuch = errors.New("it prints too much")
	ErrTooSlow = errors.New("it takes too long")
)

// Command is a command in a container.
type Command struct {
	Pod, Container string
	Words          []string
	Stdin          []byte        // nil: none
	Timeout        time.Duration // 0: DefaultTimeout
	MaxOutput      int           // bytes of stdout, and of stderr; 0: DefaultOutput
}

// Result is what came of a command that has ended by itself. The bytes are foreign: nobody may print them as they are.
type Result struct {
	Code           int
	Stdout, Stderr []byte
}

// Exec runs a command, by WebSocket or else by SPDY, as soon as fewer than 16 run. An exit code that isn't 0 is no error.
// The error is ErrTooMuch, ErrTooSlow, one of the context, or says why the command could not be run; the time begins when it
// does. When the context ends, the command's streams are closed. If the API server was away, it runs once more: whether it
// has run nobody knows then.
func (c *Client) Exec(ctx context.Context, cmd Command) (*Result, error) {
	if err := c.slot(ctx); err != nil {
		return nil, err
	}
	defer func() { <-c.slots }()
	pauses := Pauses
	for tries := 1; ; tries++ {
		begun := time.Now()
		r, err := c.exec(ctx, cmd)
		if err == nil || !c.isLost(ctx, err, begun, tries) || !sleep(ctx, pauses.Step()) {
			return r, err
		}
	}
}

// mostBreaks is how often a command's connection may break while the server is there: one of several servers may have gone.
const mostBreaks = 3

// isLost reports that a command has failed because the API server was away, and that it is back.
func (c *Client) isLost(ctx context.Context, failed error, begun time.Time, tries int) bool {
	var status api.APIStatus
	denied := IsForbidden(failed) || api.IsUnauthorized(failed)
	if errors.Is(failed, ErrTooMuch) || errors.As(failed, &status) && !denied && !IsAway(failed) {
		return false
	}
	if denied {
		begun = begun.Add(-unready)
	}
	was, err := c.WasAway(ctx, begun)
	return err == nil && (was || IsAway(failed) && !errors.Is(failed, ErrTooSlow) && tries < mostBreaks)
}

// exec runs it once.
func (c *Client) exec(ctx context.Context, cmd Command) (*Result, error) {
	timeout, most := cmd.Timeout, cmd.MaxOutput
	if timeout == 0 {
		timeout = DefaultTimeout
	}
	if most == 0 {
		most = DefaultOutput
	}
	timed, cancel := context.WithTimeoutCause(ctx, timeout, ErrTooSlow)
	defer cancel()
	bounded, stop := context.WithCancelCause(timed)
	defer stop(nil)
	stdout, stderr := &bound{left: most, stop: stop}, &bound{left: most, stop: stop}
	what := &corev1.PodExecOptions{Container: cmd.Container, Command: cmd.Words, Stdin: cmd.Stdin != nil, Stdout: true, Stderr: true}
	streams := remotecommand.StreamOptions{Stdout: stdout, Stderr: stderr}
	if cmd.Stdin != nil {
		streams.Stdin = bytes.NewReader(cmd.Stdin)
	}
	err := c.stream(bounded, cmd.Pod, "exec", what, streams)
	var ended exec.CodeExitError
	switch {
	case context.Cause(bounded) != nil:
		return nil, context.Cause(bounded)
	case errors.As(err, &ended):
		return &Result{ended.Code, stdout.bytes(), stderr.bytes()}, nil
	case err != nil && isOver(bounded):
		return nil, ErrTooSlow // the connection's deadline was faster than the context's, whatever it cut off
	case err != nil:
		return nil, Problem("run "+cmd.Words[0], fmt.Sprintf("in container %q of pod %q", cmd.Container, cmd.Pod), err)
	}
	return &Result{0, stdout.bytes(), stderr.bytes()}, nil
}

// isOver reports that the time of a context is over.
func isOver(ctx context.Context) bool {
	deadline, ok := ctx.Deadline()
	return ok && !time.Now().Before(deadline)
}

// sleep says no if the context ends meanwhile.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
		return true
	case <-ctx.Done():
		return false
	}
}

// stream connects streams to a subresource of a pod, by WebSocket or else by SPDY.
func (c *Client) stream(ctx context.Context, pod, subresource string, what runtime.Object, o remotecommand.StreamOptions) error {
	url := c.core.RESTClient().Post().Namespace(c.Namespace).Resource("pods").Name(pod).SubResource(subresource).
		VersionedParams(what, scheme.ParameterCodec).URL()
	spdy, err := remotecommand.NewSPDYExecutor(c.plain, "POST", url)
	if err != nil {
		return err
	}
	websocket, err := remotecommand.NewWebSocketExecutor(c.plain, "GET", url.String())
	if err != nil {
		return err
	}
	var first error
	both, err := remotecommand.NewFallbackExecutor(websocket, spdy, func(err error) bool {
		first = err
		return httpstream.IsUpgradeFailure(err) || httpstream.IsHTTPSProxyError(err)
	})
	if err != nil {
		return err
	}
	err = both.StreamWithContext(ctx, o)
	var ended exec.CodeExitError
	if err != nil && !isTimeout(err) && first != nil && IsForbidden(cause(first)) && !errors.As(err, &ended) {
		return forbidden(cause(first), err)
	}
	return err
}

// forbidden is what is said of who may go neither way. The right to create suffices for both, and the server's answer to the second
// way names it; that to the first names the right to get, or none at all.
func forbidden(first, second error) error {
	var refusal *api.StatusError
	if details(second) == "" || !errors.As(first, &refusal) {
		return first
	}
	status := refusal.ErrStatus
	status.Message = strings.TrimPrefix(second.Error(), "unable to upgrade connection: ")
	return &api.StatusError{ErrStatus: status}
}

// cause is why a connection was not upgraded.
func cause(err error) error {
	var u *httpstream.UpgradeFailureError
	if errors.As(err, &u) {
		return u.Cause
	}
	return err
}

// bound keeps what is written to it, up to a bound.
type bound struct {
	kept bytes.Buffer
	left int
	stop context.CancelCauseFunc
}

func (b *bound) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		b.stop(ErrTooMuch)
		return 0, ErrTooMuch
	}
	return b.kept.Write(p)
}

func (b *bound) bytes() []byte { return b.kept.Bytes() }

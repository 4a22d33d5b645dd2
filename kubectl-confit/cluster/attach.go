package cluster

import (
	"context"
	"fmt"
	"io"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/tools/remotecommand"
)

// Feed gives a container that runs its stdin, by WebSocket or else by SPDY, and returns when the container has all of it, or
// has ended. What the container prints isn't read: its log has that from the first byte on.
func (c *Client) Feed(ctx context.Context, pod, container string, stdin io.Reader) error {
	err := c.stream(ctx, pod, "attach", &corev1.PodAttachOptions{Container: container, Stdin: true}, remotecommand.StreamOptions{Stdin: stdin})
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return Problem("attach to", fmt.Sprintf("container %q of pod %q", container, pod), err)
}

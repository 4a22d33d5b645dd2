//go:build check

package examples

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"confit/integration/internal/harness"
)

// answerPatience bounds one question: far more than any service needs, so that only silence takes so long.
const answerPatience = 20 * time.Second

// client is one of HTTP that has its way into the container's network, and keeps no connection.
func (c *container) client() *http.Client {
	return &http.Client{Timeout: answerPatience, Transport: &http.Transport{DialContext: c.Dial, DisableKeepAlives: true}}
}

// get asks for the body of a page.
func get(url string) func(*container) (string, error) {
	return func(c *container) (string, error) {
		response, err := c.client().Get(url)
		if err != nil {
			return "", err
		}
		defer response.Body.Close()
		body, err := io.ReadAll(response.Body)
		return string(body), err
	}
}

// lastLine asks for the last line that the container printed with a prefix.
func lastLine(prefix string) func(*container) (string, error) {
	return func(c *container) (string, error) {
		said := append([]string{""}, c.Texts("stdout", prefix)...)
		return said[len(said)-1], nil
	}
}

// txt asks for the TXT records of a name.
func txt(address, name string) func(*container) (string, error) {
	return func(c *container) (string, error) {
		ctx, cancel := context.WithTimeout(context.Background(), answerPatience)
		defer cancel()
		resolver := net.Resolver{PreferGo: true, Dial: func(ctx context.Context, network, _ string) (net.Conn, error) {
			return c.Dial(ctx, network, address)
		}}
		texts, err := resolver.LookupTXT(ctx, name)
		return strings.Join(texts, " "), err
	}
}

// execute asks a command in the container, as kubectl exec does.
func execute(argv ...string) func(*container) (string, error) {
	return func(c *container) (string, error) {
		out, err := c.Visit(append([]string{"-m", "-n", "-r", "env", "-C", "/"}, argv...)...).CombinedOutput()
		return string(out), err
	}
}

var messages atomic.Int32

// printed sends a message, and waits until the container has printed it.
func printed(send func(c *container, message string) error) func(*container) (string, error) {
	return func(c *container) (string, error) {
		message := fmt.Sprintf("message %d.", messages.Add(1))
		if err := send(c, message); err != nil {
			return "", err
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Second) // what came in too late is lost: ask again
		defer cancel()
		var lines []string
		harness.PollEvery(ctx, 50*time.Millisecond, func() bool {
			lines = c.Lines(message)
			return len(lines) > 0
		})
		return strings.Join(lines, "\n"), nil
	}
}

// log sends a message to rsyslogd.
func (c *container) log(message string) error {
	ctx, cancel := context.WithTimeout(context.Background(), answerPatience)
	defer cancel()
	connection, err := c.Dial(ctx, "tcp", "127.0.0.1:10514")
	if err != nil {
		return err
	}
	defer connection.Close()
	_, err = fmt.Fprintln(connection, message)
	return err
}

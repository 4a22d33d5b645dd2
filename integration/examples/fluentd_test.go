//go:build check

package examples

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// fluentdVariable names the directory of an unpacked fluentd, which Debian has not; what it needs of Ruby it has.
const fluentdVariable = "FLUENTD"

var fluentd = example{
	name:   "fluentd",
	key:    "fluent.conf",
	ask:    askFluentd,
	taken:  reloaded,
	before: "@type stdout",
	after:  "@type no_such_plugin",
	step:   "validate",
	base:   provideFluentd,
	last:   refusePort,
}

var askFluentd = printed(func(c *container, message string) error { return c.post(fmt.Sprintf(`[{"message": %q}]`, message)) })

// refusePort makes an edit that fluentd's check lets through: the worker listens somewhere, and not where the file says.
func refusePort(c *container) {
	c.t.Helper()
	revert := c.edit("fluent.conf", "port 8888", "port notaport")
	c.logs(1, `msg="candidate rejected"`, "step=verify")
	c.logs(1, `msg="rolled back"`)
	c.answers(askFluentd, second)
	revert()
	c.logs(2, `msg="mounted configuration is live again"`)
}

// provideFluentd is the base image's fluentd: one that is installed here, or the unpacked one.
func provideFluentd(c *container) {
	c.t.Helper()
	if dir := os.Getenv(fluentdVariable); dir != "" {
		const script = "#!/bin/sh\nexec ruby -W0 -I /opt/fluentd/lib /opt/fluentd/bin/fluentd \"$@\"\n"
		c.mount(dir, "opt/fluentd", "", unix.MS_BIND, "")
		must(c.t, harness.WriteProgram(filepath.Join(c.root, "usr/local/bin/fluentd"), []byte(script)))
	} else if _, err := exec.LookPath("fluentd"); err != nil {
		c.t.Skipf("no fluentd is installed, and %s names no directory with one", fluentdVariable)
	}
}

// post brings events in, in one request.
func (c *container) post(events string) error {
	response, err := c.client().Post("http://127.0.0.1:8888/app.test", "application/json", strings.NewReader(events))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the events are answered with %s", response.Status)
	}
	return nil
}

const (
	reloads        = 10
	perRequest     = 100                    // events
	requestsAtRest = 100 * time.Millisecond // from one to the next: 1,000 events a second
)

// A thousand events a second come in through ten reloads. A client sends again what wasn't answered. None is lost; one may be
// printed twice, as its answer got lost.
func TestFluentd_events(t *testing.T) {
	t.Parallel()
	c := fluentd.start(t)
	sender := c.send()
	for n := range reloads {
		c.edit(fluentd.key, edition(n), edition(n+1))
		c.serves(fluentd, edition(n+1))
	}
	c.logs(reloads, reloaded)
	sent := sender()
	c.Signal(c.stopSignal)
	c.Ends(0)
	c.wantEvents(sent)
}

func edition(n int) string {
	if n == 0 {
		return first
	}
	return fmt.Sprintf("%dth edition", n)
}

// send brings numbered events in until the returned function is called, which returns their number. A request that waits for a
// reload doesn't hold up the next.
func (c *container) send() (end func() int) {
	stop, sent := make(chan struct{}), make(chan int)
	go func() {
		tick := time.NewTicker(requestsAtRest)
		defer tick.Stop()
		var requests sync.WaitGroup
		for n := 0; ; n += perRequest {
			select {
			case <-stop:
				requests.Wait()
				sent <- n
				return
			case <-tick.C:
				requests.Go(func() { c.insist(n) })
			}
		}
	}()
	return func() int { close(stop); return <-sent }
}

// insist brings the events from n on in, however often that takes.
func (c *container) insist(n int) {
	var events bytes.Buffer
	for i := range perRequest {
		fmt.Fprintf(&events, `{"number": "n%d."},`, n+i)
	}
	text := "[" + strings.TrimSuffix(events.String(), ",") + "]"
	harness.Poll(context.Background(), func() bool { return c.post(text) == nil || !c.Alive() })
}

// wantEvents checks that all of them were printed.
func (c *container) wantEvents(sent int) {
	c.t.Helper()
	seen := map[string]int{}
	for _, line := range c.Lines(`"number":"n`) {
		_, number, _ := strings.Cut(line, `"number":"`)
		number, _, _ = strings.Cut(number, `"`)
		seen[number]++
	}
	lost, doubled := 0, 0
	for n := range sent {
		switch seen[fmt.Sprintf("n%d.", n)] {
		case 0:
			lost++
		case 1:
		default:
			doubled++
		}
	}
	c.t.Logf("%d events sent, %d lost, %d doubled", sent, lost, doubled)
	if lost > 0 || sent == 0 {
		c.t.Errorf("%d of %d events are lost", lost, sent)
	}
}

//go:build check

package daemons

import (
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
)

// fluentdVariable names the directory of an unpacked fluentd 1.15, which Debian has not; what it needs of Ruby it has.
const fluentdVariable = "FLUENTD"

// Reloaded, fluentd's supervisor asks the worker to end. The worker writes out its buffers first. The next one finds a bad file
// and exits with 2, and so does the supervisor. A client sends an event, which fluentd prints as its configuration says.
var fluentd = daemon{
	name: "fluentd",
	key:  "fluent.conf",
	text: `
<source>
  @type http
  bind 127.0.0.1
  port 8080
</source>
<filter web>
  @type record_transformer
  <record>
    name GENERATION
  </record>
</filter>
<match web>
  @type stdout
</match>
<match slow>
  @type exec
  command sh /srv/flush
  <format>
    @type json
  </format>
  <buffer>
    @type memory
    flush_mode interval
    flush_interval 1h
    flush_at_shutdown true
  </buffer>
</match>
`,
	spoiled:  "<source>\n@type no_such_plugin\n</source>\n",
	image:    map[string]string{"flush": "trap '' TERM; echo holding >&2; until [ -e /srv/release ]; do sleep 0.01; done\n"},
	app:      fmt.Sprintf("ruby -W0 -I %[1]s/lib %[1]s/bin/fluentd -c /srv/etc/fluent.conf", os.Getenv(fluentdVariable)),
	reload:   syscall.SIGHUP,
	network:  "tcp",
	question: askByEvent,
}

func askByEvent(c *confit) (string, error) {
	return askByPrinting(c, func(message string) string { return event("web", message) })
}

// event is a request that brings one in.
func event(tag, message string) string {
	body := fmt.Sprintf(`{"message": %q}`, message)
	return fmt.Sprintf("POST /%s HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", tag, len(body), body)
}

// bringIn sends an event and waits until it is accepted.
func (c *confit) bringIn(tag, message string) {
	c.t.Helper()
	connection, err := c.dial()
	must(c.t, err)
	defer connection.Close()
	_, err = io.WriteString(connection, event(tag, message))
	must(c.t, err)
	answer := make([]byte, 64)
	n, err := connection.Read(answer)
	must(c.t, err)
	if !strings.Contains(string(answer[:n]), " 200 ") {
		c.t.Fatalf("the event is answered with %q", answer[:n])
	}
}

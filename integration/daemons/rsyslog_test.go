//go:build check

package daemons

import (
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// At HUP rsyslogd opens its files anew. A client sends a message, which rsyslogd prints as its configuration says.
var rsyslog = daemon{
	name: "rsyslog",
	key:  "rsyslog.conf",
	text: `
global(processInternalMessages="on")
module(load="imtcp")
input(type="imtcp" port="8080" address="127.0.0.1")
template(name="answer" type="string" string="%rawmsg% GENERATION\n")
action(type="omfile" file="/dev/stdout" template="answer")
`,
	spoiled:  "no such directive\n",
	app:      "rsyslogd -n -iNONE -f /srv/etc/rsyslog.conf",
	network:  "tcp",
	question: askByMessage,
}

func askByMessage(c *confit) (string, error) {
	return askByPrinting(c, func(message string) string { return message + "\n" })
}

var messages atomic.Int32

// askByPrinting sends a message of its own in a request, and waits until it is printed. The service may have ended after the
// message came in, so the prober soon tries another.
func askByPrinting(c *confit, request func(message string) string) (string, error) {
	connection, err := c.dial()
	if err != nil {
		return "", err
	}
	defer connection.Close()
	message := fmt.Sprintf("message %d.", messages.Add(1))
	if _, err := io.WriteString(connection, request(message)); err != nil {
		return "", err
	}
	for deadline := time.Now().Add(time.Second); time.Now().Before(deadline); time.Sleep(pause) {
		if printed := c.Lines(message); len(printed) > 0 {
			return printed[0], nil
		}
	}
	return "", fmt.Errorf("%q isn't printed", message)
}

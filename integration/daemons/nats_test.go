//go:build check

package daemons

import "regexp"

// Reloaded with a bad file, nats-server keeps the old one. It greets with what it has, such as the longest message.
var nats = daemon{
	name: "nats-server",
	key:  "nats.conf",
	text: `
listen: ` + address + `
max_payload: 100NUMBER
`,
	spoiled:  "no_such_option: 1\n",
	app:      "nats-server -c /srv/etc/nats.conf",
	network:  "tcp",
	question: askMaxPayload,
}

var maxPayload = regexp.MustCompile(`"max_payload":100(\d)`)

func askMaxPayload(c *confit) (string, error) {
	greeting, err := c.beginning()
	return maxPayload.ReplaceAllString(greeting, "generation-$1"), err
}

//go:build check

package daemons

import "strings"

// Chronyd exits with 0 at HUP, as it does at TERM. Without a network it claims to be a clock of some stratum, which is in every
// answer.
var chrony = daemon{
	name: "chrony",
	key:  "chrony.conf",
	text: `
local stratum NUMBER
port 8080
bindaddress 127.0.0.1
allow 127.0.0.1
cmdport 0
bindcmdaddress /
pidfile /run/chronyd.pid
`,
	spoiled:  "no_such_directive\n",
	app:      "chronyd -d -x -u root -f /srv/etc/chrony.conf",
	network:  "udp",
	request:  ntpRequest,
	question: askStratum,
}

// ntpRequest is a client's packet (RFC 5905, 7.3): version 4, mode 3, and all else unknown.
var ntpRequest = "\x23" + strings.Repeat("\x00", 47)

// askStratum names the generation after the stratum, the second byte.
func askStratum(c *confit) (string, error) {
	packet, err := c.exchange()
	if err != nil {
		return "", err
	}
	return name(int(packet[1])), nil
}

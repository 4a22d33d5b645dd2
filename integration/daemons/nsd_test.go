//go:build check

package daemons

// At HUP nsd reads its zones, but not its configuration.
var nsd = daemon{
	name: "nsd",
	key:  "nsd.conf",
	text: `
server:
    ip-address: 127.0.0.1@8080
    server-count: 1
    username: ""
    zonesdir: /run
    pidfile: /run/nsd.pid
    xfrdfile: /run/xfrd.state
    zonelistfile: /run/zone.list
    identity: "GENERATION"
remote-control:
    control-enable: no
`,
	spoiled: "no-such-option: 1\n",
	app:     "nsd -d -c /srv/etc/nsd.conf",
	network: "udp",
	request: identityQuery,
}

// identityQuery asks for the TXT records of "id.server." in the class of CHAOS (RFC 4892, 4).
const identityQuery = "\x00\x01\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + "\x02id\x06server\x00" + "\x00\x10\x00\x03"

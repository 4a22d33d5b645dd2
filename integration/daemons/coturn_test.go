//go:build check

package daemons

// At HUP turnserver reopens its log. It names its realm to whoever asks for an address without a password.
var coturn = daemon{
	name: "coturn",
	key:  "turnserver.conf",
	text: `
listening-ip=127.0.0.1
listening-port=8080
relay-ip=127.0.0.1
no-cli
no-tls
no-dtls
no-stdout-log
log-file=/dev/null
pidfile=/run/turnserver.pid
userdb=/run/turndb
lt-cred-mech
user=name:password
realm=GENERATION
`,
	spoiled: "no-such-option\n",
	app:     "turnserver -c /srv/etc/turnserver.conf",
	network: "udp",
	request: allocate,
}

// allocate is the request (RFC 8656, 7.1) with a header (RFC 8489, 5) and the attribute that it needs: the transport, UDP.
const allocate = "\x00\x03\x00\x08\x21\x12\xa4\x42" + "transaction1" + "\x00\x19\x00\x04\x11\x00\x00\x00"

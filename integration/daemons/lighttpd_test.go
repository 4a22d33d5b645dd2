//go:build check

package daemons

import "syscall"

// At HUP lighttpd opens its logs anew. At USR1 it serves the open connections to their end, and then reads its configuration: a
// bad file ends it with 255.
var lighttpd = daemon{
	name: "lighttpd",
	key:  "lighttpd.conf",
	text: `
server.document-root = "/srv/www"
server.bind = "127.0.0.1"
server.port = 8080
server.tag = "GENERATION"
server.feature-flags = ("server.graceful-shutdown-timeout" => 60)
`,
	image:    map[string]string{"www/index.html": ""},
	spoiled:  "no such directive\n",
	app:      "lighttpd -D -f /srv/etc/lighttpd.conf",
	reload:   syscall.SIGUSR1,
	stop:     syscall.SIGINT,
	validate: "lighttpd -tt -f {candidate}/web/lighttpd.conf",
	network:  "tcp",
	request:  httpRequest,
}

//go:build check

package daemons

import "syscall"

// Reloaded with a bad file, squid exits with 1. It answers a request that makes no sense to a proxy with an error page, in which
// it gives its name.
var squid = daemon{
	name: "squid",
	key:  "squid.conf",
	text: `
http_port ` + address + `
visible_hostname GENERATION
pid_filename /run/squid.pid
cache_log /dev/null
access_log none
netdb_filename none
pinger_enable off
cache_mem 1 MB
max_filedescriptors 1024
shutdown_lifetime 0 seconds
`,
	spoiled:  "no_such_directive on\n",
	app:      "squid -N -d 1 -f /srv/etc/squid.conf",
	reload:   syscall.SIGHUP,
	stop:     syscall.SIGTERM,
	validate: "squid -k parse -f {candidate}/web/squid.conf",
	network:  "tcp",
	request:  httpRequest,
}

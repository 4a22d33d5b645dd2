//go:build check

package daemons

import "syscall"

// Reloaded with a bad file, unbound exits with 1.
var unbound = daemon{
	name: "unbound",
	key:  "unbound.conf",
	text: `
server:
    interface: 127.0.0.1@8080
    num-threads: 1
    chroot: ""
    username: ""
    pidfile: ""
    use-syslog: no
    module-config: "iterator"
    local-zone: "name." static
    local-data: 'name. TXT "GENERATION"'
`,
	spoiled:  "    no-such-option: 1\n",
	app:      "unbound -d -c /srv/etc/unbound.conf",
	reload:   syscall.SIGHUP,
	stop:     syscall.SIGTERM,
	validate: "unbound-checkconf {candidate}/web/unbound.conf",
	network:  "udp",
	request:  txtQuery,
}

// txtQuery asks for the TXT records of "name." (RFC 1035, 4.1): a header that says one question, the name, type and class.
const txtQuery = "\x00\x01\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00" + "\x04name\x00" + "\x00\x10\x00\x01"

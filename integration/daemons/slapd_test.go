//go:build check

package daemons

// slapd exits with 0 at HUP. It names what it holds to whoever asks.
var slapd = daemon{
	name: "slapd",
	key:  "slapd.conf",
	text: `
include /etc/ldap/schema/core.schema
pidfile /run/slapd.pid
database ldif
suffix "o=GENERATION"
directory /run
`,
	spoiled:  "no-such-directive on\n",
	app:      "slapd -d 0 -h ldap://" + address + "/ -f /srv/etc/slapd.conf",
	network:  "tcp",
	request:  namingContexts,
	question: (*confit).beginning,
}

// namingContexts is a search (RFC 4511, 4.5.1) of the root, for its attribute of this name.
const namingContexts = "\x30\x35\x02\x01\x01\x63\x30\x04\x00\x0a\x01\x00\x0a\x01\x00\x02\x01\x00\x02\x01\x00\x01\x01\x00" +
	"\x87\x0bobjectClass" + "\x30\x10\x04\x0enamingContexts"

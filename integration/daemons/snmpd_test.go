//go:build check

package daemons

// Reloaded with a bad file, snmpd goes on without the lines that it can't read.
var snmpd = daemon{
	name: "snmpd",
	key:  "snmpd.conf",
	text: `
agentaddress udp:` + address + `
rocommunity public
sysName GENERATION
`,
	spoiled: "nosuchdirective on\n",
	app:     "snmpd -f -Lo -C -c /srv/etc/snmpd.conf -p /run/snmpd.pid",
	network: "udp",
	request: sysName,
}

// sysName asks for 1.3.6.1.2.1.1.5.0 (RFC 3418, 2) in version 2c (RFC 3416, 3).
const sysName = "\x30\x26\x02\x01\x01\x04\x06public" + "\xa0\x19\x02\x01\x01\x02\x01\x00\x02\x01\x00\x30\x0e\x30\x0c" +
	"\x06\x08\x2b\x06\x01\x02\x01\x01\x05\x00\x05\x00"

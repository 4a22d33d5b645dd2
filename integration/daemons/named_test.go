//go:build check

package daemons

// Named waits for HUP with sigwait(3), so the kernel shows neither a handler nor that it has HUP blocked.
var named = daemon{
	name: "named",
	key:  "named.conf",
	text: `
options {
	directory "/run";
	listen-on port 8080 { 127.0.0.1; };
	listen-on-v6 { none; };
	pid-file none;
	session-keyfile none;
	recursion no;
	version "GENERATION";
};
controls { };
`,
	spoiled: "no-such-statement;\n",
	app:     "named -g -n 1 -c /srv/etc/named.conf",
	network: "udp",
	request: versionQuery,
}

// versionQuery asks for the TXT records of "version.bind." in the class CHAOS (RFC 4892).
const versionQuery = "\x00\x01\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00" + "\x07version\x04bind\x00" + "\x00\x10\x00\x03"

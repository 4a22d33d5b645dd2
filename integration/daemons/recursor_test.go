//go:build check

package daemons

// The recursor has no handler for HUP, so it is restarted. TERM ends it with 143.
var recursor = daemon{
	name: "pdns-recursor",
	key:  "recursor.conf",
	text: `
local-address=127.0.0.1:8080
socket-dir=/run
threads=1
server-id=GENERATION
`,
	spoiled: "no-such-setting=1\n",
	app:     "pdns_recursor --config-dir=/srv/etc --daemon=no",
	network: "udp",
	request: identityQuery,
}

//go:build check

package daemons

// Reloaded with a bad file, knotd goes on with the old one.
var knot = daemon{
	name: "knot",
	key:  "knot.conf",
	text: `
server:
    rundir: /run/knot
    listen: 127.0.0.1@8080
    user: root:root
    identity: GENERATION
database:
    storage: /run/knot
`,
	spoiled: "no-such-section:\n",
	image:   map[string]string{"entrypoint": "mkdir -p /run/knot && exec \"$@\"\n"},
	app:     "sh /srv/entrypoint knotd -c /srv/etc/knot.conf",
	network: "udp",
	request: identityQuery,
}

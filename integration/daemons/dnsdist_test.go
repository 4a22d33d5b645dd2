//go:build check

package daemons

// dnsdist has no handler for HUP, so it is restarted. TERM ends it with 143.
var dnsdist = daemon{
	name: "dnsdist",
	key:  "dnsdist.conf",
	text: `
setLocal("127.0.0.1:8080")
addAction("name.", SpoofRawAction("\012GENERATION"))
`,
	spoiled: "noSuchFunction()\n",
	app:     "dnsdist --supervised -C /srv/etc/dnsdist.conf",
	network: "udp",
	request: txtQuery,
}

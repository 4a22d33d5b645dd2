//go:build check

package daemons

// At HUP dnsmasq clears its cache and reads its hosts files, but not its configuration.
var dnsmasq = daemon{
	name: "dnsmasq",
	key:  "dnsmasq.conf",
	text: `
listen-address=127.0.0.1
port=8080
no-resolv
no-hosts
user=root
pid-file=
txt-record=name,GENERATION
`,
	spoiled: "no-such-option\n",
	app:     "dnsmasq --keep-in-foreground --log-facility=- -C /srv/etc/dnsmasq.conf",
	network: "udp",
	request: txtQuery,
}

//go:build check

package daemons

// Reloaded with a bad file, the exporter keeps the old one. It shows what it has to whoever asks.
var blackbox = daemon{
	name: "blackbox-exporter",
	key:  "blackbox.yml",
	text: `
modules:
  GENERATION: {prober: tcp}
`,
	spoiled: "no_such_key: 1\n",
	app:     "prometheus-blackbox-exporter --config.file=/srv/etc/blackbox.yml --web.listen-address=" + address,
	network: "tcp",
	request: "GET /config HTTP/1.0\r\n\r\n",
}

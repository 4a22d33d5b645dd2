//go:build check

package daemons

import "strings"

// Caddy catches HUP, logs that nothing is implemented, and goes on; caddy reload is the way to reload it.
var caddy = daemon{
	name: "caddy",
	key:  "Caddyfile",
	text: `
{
	admin off
	auto_https off
}
:8080 {
	bind 127.0.0.1
	respond "GENERATION"
}
`,
	spoiled: "no_such_directive {\n",
	app:     "caddy run --config /srv/etc/Caddyfile",
	network: "tcp",
	request: httpRequest,
}

// adminCaddy listens to caddy reload.
var adminCaddy = func() daemon {
	d := caddy
	d.text = strings.Replace(d.text, "\tadmin off\n", "", 1)
	return d
}()

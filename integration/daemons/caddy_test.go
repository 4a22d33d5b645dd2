package daemons

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

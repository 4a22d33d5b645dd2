//go:build check

package daemons

// A Node.js service that shuts down gracefully at every signal: it exits with 0 at HUP, too.
var node = daemon{
	name:    "node",
	key:     "config.json",
	text:    `{"name": "GENERATION"}`,
	spoiled: `}`,
	image: map[string]string{"app.js": `
const config = JSON.parse(require("fs").readFileSync(process.argv[2]));
const server = require("http").createServer((request, response) => response.end(config.name));
for (const signal of ["SIGHUP", "SIGTERM"]) process.on(signal, () => server.close());
server.listen(8080, "127.0.0.1");
`},
	app:     "node /srv/app.js /srv/etc/config.json",
	network: "tcp",
	request: httpRequest,
}

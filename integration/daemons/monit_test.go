//go:build check

package daemons

// monit refuses a file that others may read, at its start and at HUP.
var monit = daemon{
	name: "monit",
	key:  "monitrc",
	text: `
set daemon 30
set pidfile /run/monit.pid
set idfile /run/monit.id
set statefile /run/monit.state
set httpd port 8080 and use address 127.0.0.1 allow localhost
check system GENERATION
`,
	mode:    0o400,
	spoiled: "no such statement\n",
	app:     "monit -I -c /srv/etc/monitrc",
	network: "tcp",
	request: httpRequest,
}

package daemons

import "syscall"

// Told to reload a bad file, haproxy's master keeps the old workers and says so in its log only.
var haproxy = daemon{
	name: "haproxy",
	key:  "haproxy.cfg",
	text: `
global
    maxconn 100
defaults
    mode http
    timeout connect 10s
    timeout client 10s
    timeout server 10s
frontend web
    bind ` + address + `
    http-request return status 200 content-type text/plain string GENERATION
`,
	spoiled:  "    no-such-keyword\n",
	app:      "haproxy -W -db -f /srv/etc/haproxy.cfg",
	reload:   syscall.SIGUSR2,
	stop:     syscall.SIGUSR1,
	validate: "haproxy -c -f {candidate}/web/haproxy.cfg",
	keeps:    true,
	network:  "tcp",
	request:  httpRequest,
}

package daemons

import "syscall"

// Reloaded with a bad file, haproxy's master keeps the old workers and says so in its log only.
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

// haproxyAlone has no master. At HUP it logs the state of its servers.
var haproxyAlone = func() daemon {
	d := haproxy
	d.name, d.app, d.reload = "haproxy alone", "haproxy -db -f /srv/etc/haproxy.cfg", 0
	d.text += "backend none\n    server none 127.0.0.1:1\n"
	return d
}()

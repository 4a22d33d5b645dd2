//go:build check

package daemons

import (
	"strings"
	"syscall"
	"testing"
)

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

// A worker that dies of what haproxy's own check doesn't find sends TTIN to the old workers, and haproxy ends with its workers. None
// of them is stopped on the way, so haproxy is started again. Each round met them in the midst of their end every other time.
func TestHaproxy_worker_dies(t *testing.T) {
	t.Parallel()
	s, c := up(t, haproxy, "--probation", "15s") // a busy machine may need seconds until the worker dies
	for n := 2; n < 8; n++ {
		s.swap(strings.Replace(s.good(n), "global\n", "global\n    chroot /nonexistent\n", 1))
		c.Eventually("a roll back", func() bool { return c.logged(`msg="rolled back"`) == n-1 })
		c.serves(name(1))
		c.ready()
	}
	c.goesOn()
}

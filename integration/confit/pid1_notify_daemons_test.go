//go:build check

package confit

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// talker is a daemon that speaks sd_notify; docs/daemons.md says who says what.
type talker struct {
	app    string // its command line, but for the path of its configuration at the end
	reload string // the signal for that
	text   string // of its configuration; DIR stands for a directory that it may write to
}

var talkers = map[string]talker{
	"haproxy": {"haproxy -Ws -f", "USR2", `
defaults
    mode http
    timeout connect 10s
    timeout client 10s
    timeout server 10s
frontend web
    bind 127.0.0.1:8080
    http-request return status 200
`},
	"unbound": {"unbound -d -c", "HUP", `
server:
    interface: 127.0.0.1@8080
    num-threads: 1
    chroot: ""
    username: ""
    pidfile: ""
    use-syslog: no
remote-control:
    control-enable: no
`},
	// It says READY=1 in a child that is another user, and nothing at a reload.
	"squid": {"squid --foreground -d 1 -f", "HUP", `
http_port 127.0.0.1:8080
visible_hostname squid
pid_filename DIR/squid.pid
cache_log /dev/null
access_log none
netdb_filename none
pinger_enable off
cache_mem 1 MB
max_filedescriptors 1024
shutdown_lifetime 0 seconds
`},
	// It says READY=1 every ten seconds, and no RELOADING=1.
	"php-fpm": {"/usr/sbin/php-fpm* -F -y", "USR2", `
[global]
error_log = /proc/self/fd/2
[www]
user = www-data
listen = 127.0.0.1:8080
pm = static
pm.max_children = 1
`},
}

// Whatever a daemon says or doesn't say at a start and at a reload, the proof is that it lives through its probation. confit
// doesn't wait for an answer that never comes.
func TestNotify_daemons(t *testing.T) {
	for name, daemon := range talkers {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			s.box.Net = true
			s.line("link web/conf %s", s.target("conf"))
			s.flag("--reload", "signal:"+daemon.reload, "--probation", "2s")
			web := s.volume("web")
			text := strings.ReplaceAll(daemon.text, "DIR", s.mkdir("run"))
			web.swap(keys{"conf": text})
			c := s.start(append(program(t, daemon.app), s.target("conf"))...)
			c.wantAccepted(1, "probation")
			for n := 2; n < 4; n++ {
				web.swap(keys{"conf": text + strings.Repeat("\n", n)})
				c.wantAccepted(n, "probation")
			}
			c.wantLogged("app started", 1)
		})
	}
}

// program splits a command line. PHP's program carries a version in its name.
func program(t *testing.T, command string) []string {
	t.Helper()
	argv := strings.Fields(command)
	if found, _ := filepath.Glob(argv[0]); len(found) > 0 {
		argv[0] = found[0]
	}
	if _, err := exec.LookPath(argv[0]); err != nil {
		t.Fatalf("install what make check installs: %v", err)
	}
	return argv
}

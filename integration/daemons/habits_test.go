//go:build check

package daemons

import (
	"strings"
	"syscall"
	"testing"
)

// habit is a daemon that catches HUP for something else than to read its configuration.
type habit struct {
	daemon
	// atHUP is in the log when the daemon, or confit for it, has handled a HUP.
	atHUP []string
	// reason and hint are what the log says of it under auto.
	reason, hint string
}

var habits = []habit{
	{caddy, []string{`"not implemented"`, "SIGHUP"}, "HUP does nothing", "exec:"},
	{chrony, []string{`msg="app exited"`, "code=0"}, "HUP ends it", ""},
	{coreDNS, []string{`msg="generation accepted"`}, "HUP does nothing", "signal:USR1"},
	{dnsmasq, []string{"cleared cache"}, "HUP reads only its hosts files again", ""},
	{freeradius, []string{"HUP - loading modules"}, "HUP reads only its modules and virtual servers again", "reload=signal:HUP"},
	{haproxyAlone, []string{"SIGHUP received, dumping servers states"}, "HUP only logs its state", "start it with -W"},
	{java, []string{`msg="app exited"`, "code=129"}, "HUP shuts the JVM down", ""},
	{lighttpd, []string{"logfiles cycled"}, "HUP only reopens its logs", "signal:USR1"},
	{mariadb, []string{"started with:"}, "HUP only flushes its logs and caches", ""},
	{mysql, []string{"started with:"}, "HUP only flushes its logs and caches", ""},
	{nsd, []string{"SIGHUP received, reloading"}, "HUP reads only its zones again", "reload=signal:HUP"},
	{rsyslog, []string{"rsyslogd was HUPed"}, "HUP only reopens its files", ""},
	{stunnel, []string{"Configuration successful"}, "HUP reads the file of its start again", ""},
}

// An edit doesn't need what these daemons do at HUP. If they get HUP nevertheless, they go on with the old configuration, or end.
func TestHabit_at_HUP(t *testing.T) {
	for _, h := range habits {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			s, c := up(t, h.toldBy(syscall.SIGHUP))
			before := c.logged(h.atHUP...)
			s.swap(s.good(2))
			c.logs(reloaded, "signal=HUP")
			c.Eventually("what it does at HUP", func() bool { return c.logged(h.atHUP...) > before })
			c.serves(name(1))
		})
	}
}

// So auto restarts them without a HUP, and logs why. The edit is in force afterwards.
func TestHabit_auto(t *testing.T) {
	for _, h := range habits {
		t.Run(h.name, func(t *testing.T) {
			t.Parallel()
			s, c := up(t, h.toldBy(0))
			for n := 2; n < 4; n++ {
				s.swap(s.good(n))
				c.serves(name(n))
				c.accepts(n)
			}
			c.wantLogged(2, `msg="app restarting"`, h.reason, h.hint)
			c.wantLogged(3, `msg="app started"`)
			c.wantLogged(0, reloaded)
		})
	}
}

// An init, a shell or what changes the user in front of a daemon doesn't hide it. In most containers confit may not see the program
// of another user (CAP_SYS_PTRACE).
func TestHabit_behind(t *testing.T) {
	for front, privileges := range map[string]string{
		"tini -s --":                   "",
		"dumb-init":                    "",
		"catatonit --":                 "",
		"sh /srv/entrypoint":           "",
		"dumb-init sh /srv/entrypoint": "",
		"setpriv --reuid=65534 --regid=65534 --clear-groups": withoutPtrace,
	} {
		t.Run(front, func(t *testing.T) {
			t.Parallel()
			d := dnsmasq
			d.app, d.lines = front+" "+d.app, "map-exit 143:0\n"
			if strings.HasSuffix(front, "sh /srv/entrypoint") {
				d.lines += "entrypoint-timeout 0\n" // the shell stays in front for life
			}
			d.image = map[string]string{"entrypoint": `trap 'kill -HUP $daemon' HUP; trap 'kill $daemon; wait $daemon; exit' TERM
"$@" & daemon=$!; while kill -0 $daemon 2>/dev/null; do wait $daemon; done`}
			s := newSite(t, d)
			s.front = strings.Fields(privileges)
			s.swap(s.good(1))
			c := s.start()
			c.isUp()
			for n := 2; n < 4; n++ {
				s.swap(s.good(n))
				c.serves(name(n))
				c.accepts(n)
			}
			c.wantLogged(2, `msg="app restarting"`, "HUP reads only its hosts files again")
			c.wantLogged(0, reloaded)
		})
	}
}

package app

import "confit/process"

// A habit is what a well-known program does at HUP instead of reading its configuration again,
// although it catches the signal.
type habit struct {
	reason string // why auto restarts it, as the log says it
	todo   string // how to get a reload instead of a restart; "": not at all
	alone  bool   // only when no child runs the same program: with a master it reloads
}

// Programs of two names.
var (
	// main_config_hup of mainconfig.c: HUP opens all files, but the clients and listeners are those
	// of the start. Upstream's name is radiusd.
	freeradius = habit{
		reason: "HUP reads only its modules and virtual servers again",
		todo:   "write reload=signal:HUP at the links that only modules read",
	}
	// Grafana's server.go, listenToSystemSignals: HUP reopens its logs.
	grafana = habit{
		reason: "HUP only reopens its logs",
		todo:   "write reload=none at the links of dashboards, which it reads by itself",
	}
)

// habits has a row for each of those programs, by the base name of its executable without the
// digits and dots at the end (stunnel4 is stunnel). A row can only make auto restart the app, which
// is never wrong, only slower. It says what the program of Debian 12 does, and CoreDNS 1.14;
// integration/daemons shows it of all but envoy, grafana and turnserver.
var habits = map[string]habit{
	// sigtrap_posix.go of Caddy logs "not implemented" at HUP.
	"caddy": {reason: "HUP does nothing", todo: "write reload exec:caddy reload --config FILE --force"},
	// SCH_Initialise of main.c: HUP stops it as TERM does. chronyd(8) names no signal.
	"chronyd": {reason: "HUP ends it"},
	// sigtrap_posix.go of the Caddy 1 in CoreDNS ignores HUP; https://coredns.io/manual/toc/ has
	// USR1.
	"coredns": {reason: "HUP does nothing", todo: "write reload signal:USR1"},
	// dnsmasq(8), NOTES: "SIGHUP does NOT re-read the configuration file"
	"dnsmasq": {reason: "HUP reads only its hosts files again"},
	// Envoy's server.cc logs at HUP that it eats the signal.
	"envoy":          {reason: "HUP does nothing"},
	"freeradius":     freeradius,
	"radiusd":        freeradius,
	"grafana":        grafana,
	"grafana-server": grafana,
	// haproxy(1): HUP "dumps the status of all proxies and servers into the logs". With a master
	// (-W, -Ws) it reloads.
	"haproxy": {reason: "HUP only logs its state, as it has no master", todo: "start it with -W", alone: true},
	// java(1), -Xrs: "The JVM uses SIGHUP, SIGINT, and SIGTERM to initiate the running of shutdown
	// hooks"
	"java": {reason: "HUP shuts the JVM down"},
	// doc/initscripts.txt of lighttpd: "SIGHUP - re-open log files", "SIGUSR1 - reload gracefully"
	"lighttpd": {reason: "HUP only reopens its logs", todo: "write reload signal:USR1"},
	// https://dev.mysql.com/doc/refman/8.0/en/unix-signal-response.html: HUP reloads grant tables
	// and flushes logs and caches; in MariaDB, too.
	"mariadbd": {reason: "HUP only flushes its logs and caches"},
	"mysqld":   {reason: "HUP only flushes its logs and caches"},
	// nsd(8), SIGNALS: "SIGHUP Reload. Scans zone files and if changed (mtime) reads them in."
	"nsd": {reason: "HUP reads only its zones again", todo: "write reload=signal:HUP at the links of zones"},
	// rsyslogd(8), SIGNALS: HUP closes all open files.
	"rsyslogd": {reason: "HUP only reopens its files"},
	// stunnel(8), SIGNALS: HUP reloads the file that realpath(3) found at the start, which never
	// changes.
	"stunnel": {reason: "HUP reads the file of its start again, not the new one"},
	// turnserver(1), --log-file: "the logfile can be reset with the SIGHUP signal"
	"turnserver": {reason: "HUP only reopens its log"},
}

// Restarts reports whether auto restarts a program at each edit, whatever runs below it.
func Restarts(program string) bool {
	h, known := habits[process.Unversioned(program)]
	return known && !h.alone
}

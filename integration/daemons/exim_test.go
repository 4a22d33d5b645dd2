//go:build check

package daemons

// At HUP exim executes itself anew: a bad file ends it.
var exim = daemon{
	name: "exim",
	key:  "exim.conf",
	text: `
daemon_smtp_ports = 8080
local_interfaces = 127.0.0.1
smtp_banner = GENERATION
spool_directory = /run/exim
log_file_path = /run/exim/%slog
pid_file_path = /run/exim.pid
tls_advertise_hosts =
host_lookup =
`,
	spoiled:  "no_such_option = 1\n",
	image:    map[string]string{"entrypoint": "mkdir -p -m 1777 /run/exim && exec \"$@\"\n"}, // its user writes logs there
	app:      "sh /srv/entrypoint exim4 -bdf -C /srv/etc/exim.conf",
	network:  "tcp",
	question: (*confit).beginning,
}

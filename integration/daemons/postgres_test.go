//go:build check

package daemons

import "syscall"

// postgres refuses to be root. Its data are made before it starts, as an entrypoint does it at the first start of a container.
var postgres = daemon{
	name: "postgres",
	key:  "postgresql.conf",
	text: "listen_addresses = ''\nunix_socket_directories = '/run/data'\ncluster_name = 'GENERATION'\n",
	image: map[string]string{"run": `
set -e
chmod 0755 /root
export PATH="$(echo /usr/lib/postgresql/*/bin):$PATH"
mkdir /run/data
chown postgres /run/data
setpriv --reuid postgres --regid postgres --clear-groups initdb -D /run/data --no-sync >/dev/null
exec setpriv --reuid postgres --regid postgres --clear-groups postgres -D /run/data -c config_file=/srv/etc/postgresql.conf
`},
	app:    "sh /srv/run",
	reload: syscall.SIGHUP,
	stop:   syscall.SIGINT,
}

//go:build check

package daemons

// rsyncd reads its file at each connection. HUP ends it with 20, and so does TERM.
var rsyncd = daemon{
	name: "rsyncd",
	key:  "rsyncd.conf",
	text: `
use chroot = no
[web]
comment = GENERATION
path = /srv
`,
	spoiled: "[\n",
	app:     "rsync --daemon --no-detach --config=/srv/etc/rsyncd.conf --address=127.0.0.1 --port=8080",
	network: "tcp",
	request: "@RSYNCD: 31.0\n#list\n",
}

//go:build check

package daemons

import "syscall"

// Reloaded with a bad file, by HUP or by USR1, httpd exits with 1. Only apachectl graceful checks it before.
var apache = daemon{
	name: "apache",
	key:  "apache.conf",
	text: `
ServerName localhost
DefaultRuntimeDir /run
PidFile /run/apache.pid
ErrorLog /dev/stderr
LoadModule mpm_event_module /usr/lib/apache2/modules/mod_mpm_event.so
LoadModule authz_core_module /usr/lib/apache2/modules/mod_authz_core.so
User www-data
Group www-data
Listen ` + address + `
StartServers 1
ErrorDocument 404 GENERATION
`,
	spoiled:  "NoSuchDirective on\n",
	app:      "apache2 -DFOREGROUND -f /srv/etc/apache.conf",
	reload:   syscall.SIGUSR1,
	stop:     syscall.SIGWINCH,
	validate: "apache2 -t -f {candidate}/web/apache.conf",
	network:  "tcp",
	request:  httpRequest,
}

//go:build check

package daemons

import "syscall"

// Reloaded with a bad file, nginx keeps the old configuration and says so in its log only.
var nginx = daemon{
	name: "nginx",
	key:  "nginx.conf",
	text: `
daemon off;
pid /run/nginx.pid;
error_log stderr notice;
worker_processes 1;
events { worker_connections 64; }
http {
	access_log off;
	client_body_temp_path /run/body;
	proxy_temp_path /run/proxy;
	fastcgi_temp_path /run/fastcgi;
	uwsgi_temp_path /run/uwsgi;
	scgi_temp_path /run/scgi;
	server {
		listen ` + address + `;
		return 200 GENERATION;
	}
}
`,
	spoiled:  "no_such_directive on;\n",
	app:      "nginx -e stderr -c /srv/etc/nginx.conf",
	reload:   syscall.SIGHUP,
	stop:     syscall.SIGQUIT,
	validate: "nginx -t -e stderr -c {candidate}/web/nginx.conf",
	keeps:    true,
	network:  "tcp",
	request:  httpRequest,
}

//go:build check

package daemons

import "syscall"

// Reloaded, uwsgi finishes the open requests, and executes itself anew: with a bad file it exits with 1.
var uwsgi = daemon{
	name: "uwsgi",
	key:  "uwsgi.ini",
	text: `
[uwsgi]
strict = true
plugins = python3
http-socket = ` + address + `
wsgi-file = /srv/app.py
need-app = true
master = true
processes = 2
worker-reload-mercy = 60
env = ANSWER=GENERATION
`,
	spoiled: "no-such-option = 1\n",
	image: map[string]string{"app.py": `
import os, sys, time
def application(environ, start_response):
    if environ["PATH_INFO"] == "/slow":
        print("holding", file=sys.stderr, flush=True)
        while not os.path.exists("/srv/release"):
            time.sleep(0.01)
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [os.environ["ANSWER"].encode()]
`},
	app:     "uwsgi --ini /srv/etc/uwsgi.ini",
	reload:  syscall.SIGHUP,
	stop:    syscall.SIGINT,
	network: "tcp",
	request: httpRequest,
}

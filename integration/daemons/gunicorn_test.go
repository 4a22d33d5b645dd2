//go:build check

package daemons

import "syscall"

// Reloaded with a bad file, gunicorn exits with 1 and leaves its worker behind.
var gunicorn = daemon{
	name: "gunicorn",
	key:  "gunicorn.conf.py",
	text: `
bind = "` + address + `"
chdir = "/srv"
raw_env = ["ANSWER=GENERATION"]
worker_tmp_dir = "/run"
`,
	spoiled: "workers = = 1\n",
	image: map[string]string{"app.py": `
import os
def app(environ, start_response):
    start_response("200 OK", [("Content-Type", "text/plain")])
    return [os.environ["ANSWER"].encode()]
`},
	app:      "gunicorn -c /srv/etc/gunicorn.conf.py app:app",
	reload:   syscall.SIGHUP,
	stop:     syscall.SIGTERM,
	validate: "gunicorn --check-config -c {candidate}/web/gunicorn.conf.py app:app",
	network:  "tcp",
	request:  httpRequest,
}

//go:build check

package daemons

// At HUP celery ends its tasks, and executes itself anew: with a bad file it exits with 1. This one has its broker in its own
// memory. It is no service: its output is its answer.
var celery = daemon{
	name: "celery",
	key:  "celeryconfig.py",
	text: `
broker_url = "memory://"
edition = "GENERATION"
`,
	spoiled: "broker_url = no_such_name\n",
	image: map[string]string{"tasks.py": `
import sys
from celery import Celery, signals
sys.path.append("/srv/etc")
app = Celery()
app.config_from_object("celeryconfig")
@signals.worker_ready.connect
def ready(**_):
    print("serving " + app.conf.edition, file=sys.__stdout__, flush=True)
`},
	app:      "celery --workdir /srv -A tasks worker --pool solo",
	question: askForOutput,
}

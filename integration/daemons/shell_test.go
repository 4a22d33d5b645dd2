//go:build check

package daemons

import "strings"

// A shell script that cleans up and exits at a signal. It is no service: its output is its answer.
var shell = daemon{
	name:    "shell",
	key:     "app.conf",
	text:    "name=GENERATION\n",
	spoiled: "exit 5\n",
	image: map[string]string{"app": `
trap 'exit 0' HUP TERM
. "$1"
echo "serving $name"
while :; do sleep 1 & wait $!; done
`},
	app:      "sh /srv/app /srv/etc/app.conf",
	lines:    "entrypoint-timeout 0\n", // the script is the app for life
	question: askForOutput,
}

// askForOutput is the last that the script said.
func askForOutput(c *confit) (string, error) {
	said := append([]string{""}, c.Lines("serving ")...)
	return said[len(said)-1], nil
}

// atHUP is the script with another handler for HUP.
func atHUP(handler string) daemon {
	d := shell
	d.image = map[string]string{"app": strings.Replace(d.image["app"], "exit 0' HUP TERM", handler+"' HUP; trap 'exit 0' TERM", 1)}
	return d
}

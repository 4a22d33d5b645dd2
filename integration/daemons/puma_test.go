//go:build check

package daemons

// At USR2 puma executes itself anew, and keeps its sockets: with a bad file it exits with 1. Its configuration is a program.
var puma = daemon{
	name: "puma",
	key:  "puma.rb",
	text: `
bind "tcp://` + address + `"
threads 1, 1
app { |environment| [200, {"Content-Type" => "text/plain"}, ["GENERATION"]] }
`,
	spoiled: "no_such = = 1\n",
	app:     "puma -C /srv/etc/puma.rb",
	network: "tcp",
	request: httpRequest,
}

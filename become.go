package main

import (
	"os"

	"confit/process"
	"confit/signals"
)

// becomeApp is what confit does in the process of an app, or of a hook, that
// needs what no parent can give it (process.Via); in confit itself it does
// nothing. It comes before anything else: to subscribe to a signal here would
// be to take it from the app.
func becomeApp(args, environ []string) {
	c, via, asked := process.Asked(args, environ)
	if !asked {
		return
	}
	signals.Restore(via.Ignored)
	err := c.Become(via)
	if !via.Hook { // a hook's end isn't the container's
		writeTerminationLog(err)
	}
	stderr := process.NewLog(process.Unstopped(os.Stderr))
	complain(stderr, err)
	stderr.Flush()
	os.Exit(process.StartCode(err))
}

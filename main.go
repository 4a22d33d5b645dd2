// Command confit is the PID 1 of a container: it links single keys of mounted
// ConfigMap and Secret volumes to the paths an app expects, starts and reaps
// the app, and turns every swap that the kubelet makes into a checked, atomic,
// reversible reload. See README.md.
package main

import (
	"fmt"
	"os"

	"confit/config"
	"confit/linker"
	"confit/notify"
	"confit/process"
	"confit/signals"
	"confit/status"
	"confit/supervisor"
)

// version is set by the linker: -ldflags "-X main.version=1.2.3".
var version = "devel"

func main() {
	environ := signals.Environ()
	becomeApp(os.Args, environ)
	inbox, err := signals.Subscribe() // before anything that takes time: see there
	process.TameRuntime()
	stderr := process.NewLog(process.Unstopped(os.Stderr))
	code := process.ExitSystem
	if err == nil {
		code, err = run(inbox, stderr, os.Args, environ)
	}
	if err != nil {
		lastWords(stderr, code, err)
	}
	stderr.Flush()
	os.Exit(code)
}

func run(inbox signals.Inbox, stderr *process.Log, args, environ []string) (int, error) {
	c, err := config.Parse(args, environ)
	switch {
	case process.Refused(err): // to read a links file
		return process.ExitSystem, err
	case err != nil:
		return process.ExitUsage, err
	}
	switch out := process.Unstopped(os.Stdout); c.Mode {
	case config.Help:
		fmt.Fprint(out, config.Usage)
	case config.Version:
		fmt.Fprintln(out, "confit", version)
	case config.Check:
		return refuse(process.ExitUsage, config.Explain(out, &c))
	case config.Bake:
		return refuse(process.ExitSystem, linker.Bake(c.Linker(nil)))
	case config.Install:
		return refuse(process.ExitSystem, linker.Install(c.Install))
	case config.Status:
		data, err := linker.ReadStatus(c.State)
		if err != nil {
			return status.None, err
		}
		return status.Show(os.Stdout, data)
	default:
		return supervise(inbox, stderr, environ, &c)
	}
	return 0, nil
}

// supervise runs the app. Up to its start every refusal is the end; then the exit code is the app's.
func supervise(inbox signals.Inbox, stderr *process.Log, environ []string, c *config.Config) (int, error) {
	log := c.Logger(stderr)
	settings := c.Linker(log)
	settings.Space = process.Space(c.App, environ)
	l, err := linker.Open(settings)
	if err != nil {
		return process.ExitSystem, err
	}
	if err := process.BecomeSubreaper(); err != nil {
		log.Warn("orphans are not adopted", "error", err)
	}
	environ, socket, err := notify.Offer(environ, c.State+"/notify")
	if err != nil {
		log.Warn("the app can't say that it is ready", "error", err)
	}
	dir, _ := os.Getwd() // none if it was removed: then / is the app's, too
	log.Info("confit started", "version", version, "pid", os.Getpid(), "settings", c)
	return supervisor.Supervisor{
		Config: c, Linker: l, Inbox: inbox, Log: log, Stderr: stderr.Patient(), Version: version, Notify: socket,
		App: process.Command{Args: c.App, Env: environ, Dir: dir, Ignored: inbox.Inherited.Ignored()},
	}.Run()
}

// refuse is the exit code for an error, 0 for none.
func refuse(code int, err error) (int, error) {
	if err == nil {
		code = 0
	}
	return code, err
}

// Command confit is the PID 1 of a container: it links single keys of mounted ConfigMap and Secret
// volumes to the paths an app expects, starts and reaps the app, and turns every swap that the
// kubelet makes into a checked, atomic, reversible reload. See README.md.
//
// Go's runtime would keep two files of the cgroup open, to follow a limit of processors. confit
// uses one.
//
//go:debug containermaxprocs=0
package main

import (
	"fmt"
	"log/slog"
	"os"

	"confit/config"
	"confit/linker"
	"confit/notify"
	"confit/process"
	"confit/signals"
	"confit/status"
	"confit/supervisor"
	"confit/supervisor/app"
	"confit/supervisor/try"
)

var version = "devel" // make build sets it: -ldflags '-X main.version=…'

func main() {
	inbox := signals.Subscribe() // before anything that takes time: see there
	process.KeepRuntimeSmall()
	stderr := process.NewLog(os.Stderr)
	environ := process.Environ()
	c, err := config.Parse(os.Args, environ)
	if c.LogJSON && c.Mode == config.Run {
		stderr.Format(func(text string) []byte { return config.Record(slog.LevelError, text) })
	}
	code := process.UsageCode(err)
	if err == nil {
		code, err = run(inbox, stderr, environ, &c)
	}
	if _, said := err.(try.Verdict); err != nil && !said {
		stderr.Say(err.Error())
	}
	// what kubectl exec has started isn't the container's app, and --status never is
	if err != nil && c.Mode != config.Status && !process.IsVisitor() {
		process.WriteTerminationLog(err)
	}
	stderr.Flush() // nothing else waits for the reader of stderr, which may hang
	os.Exit(code)
}

// run does what the command line asks for.
func run(inbox signals.Inbox, stderr *process.Log, environ []string, c *config.Config) (code int, err error) {
	if c.AskedBy != "" && len(c.App) > 0 {
		stderr.Say("the app isn't started, as " + c.AskedBy + " asks for something else")
	}
	out := process.Unstopped(os.Stdout)
	code = process.ExitSystem // of an error
	switch c.Mode {
	case config.Run:
		return supervise(inbox, stderr, environ, c)
	case config.Status:
		data, err := linker.ReadStatus(c.Linker(nil, 0).State)
		if err != nil {
			return status.None, err
		}
		return status.Show(out, c.StatusJSON, data)
	case config.Try:
		t := &try.Try{
			Config: c, Linker: c.Linker(c.Logger(stderr), process.Space(c.App, environ)), Inbox: inbox,
			App: command(c, environ), In: os.Stdin, Out: out,
		}
		return t.Run(process.Unread(os.Stdout))
	case config.Check:
		code = process.ExitRejected
		err = config.Explain(out, c, process.Finder(environ), app.Restarts, process.Fronts(environ))
	case config.Bake:
		err = linker.Bake(stderr, c.Linker(nil, 0), c.Optional)
	case config.Install:
		err = linker.Install(c.Install)
	case config.Seed:
		err = linker.Seed(stderr, c.Seed)
	case config.Help:
		fmt.Fprint(out, config.Usage())
	case config.Version:
		fmt.Fprintln(out, "confit", version)
	}
	if err != nil {
		return code, err
	}
	return 0, nil
}

// supervise runs the app. Once it has started, the exit code is the app's.
func supervise(inbox signals.Inbox, stderr *process.Log, environ []string, c *config.Config) (int, error) {
	if err := process.HasThreads(); err != nil {
		return process.ExitSystem, err
	}
	log := c.Logger(stderr)
	files := c.Linker(log, process.Space(c.App, environ))
	files.Again = supervisor.ReadAgain()
	l, former, err := linker.Open(files)
	if linker.IsInvalid(err) { // of mounts
		return process.ExitRejected, err
	}
	if err != nil {
		return process.ExitSystem, err
	}
	if err := process.BecomeSubreaper(); err != nil {
		log.Warn("orphans are not adopted", "error", err)
	}
	environ, socket, err := notify.Offer(environ, files.State)
	if err != nil {
		log.Warn("the app can't say that it is ready", "error", err)
	}
	log.Info("confit started", "version", version, "pid", os.Getpid(), "settings", c)
	for _, err := range c.Doubts(process.Finder(environ)) {
		log.Warn("hook will fail", "error", err)
	}
	return supervisor.Supervisor{
		Config: c, Linker: l, Former: former, Inbox: inbox, Log: log, Stderr: stderr.Patient(), Version: version,
		Notify: socket, App: command(c, environ),
	}.Run()
}

func command(c *config.Config, environ []string) process.Command { // hooks have its surroundings
	dir, _ := os.Getwd() // none if it was removed: then / is the app's, too
	return process.Command{Args: c.App, Env: environ, Dir: dir}
}

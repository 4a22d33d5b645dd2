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

// version is set by make build: -ldflags '-X main.version=…'.
var version = "devel"

func main() {
	inbox := signals.Subscribe() // before anything that takes time: see there
	process.KeepRuntimeSmall()
	stderr := process.NewLog(os.Stderr)
	code, err := run(inbox, stderr, os.Args, process.Environ())
	leave(stderr, code, err, code == status.None || process.IsVisitor())
}

func run(inbox signals.Inbox, stderr *process.Log, args, environ []string) (code int, err error) {
	c, err := config.Parse(args, environ)
	if c.LogJSON && c.Mode == config.Run {
		stderr.Format(func(text string) []byte { return config.Record(slog.LevelError, text) })
	}
	if err != nil {
		return process.UsageCode(err), err
	}
	switch out := process.Unstopped(os.Stdout); c.Mode {
	case config.Run:
		return supervise(inbox, stderr, environ, &c)
	case config.Status:
		return status.Show(out, c.StatusJSON,
			func() ([]byte, error) { return linker.ReadStatus(c.Linker(nil, 0).State) })
	case config.Check:
		code, err = process.ExitRejected, config.Explain(out, &c, process.Finder(environ), app.Restarts,
			process.Fronts(environ))
	case config.Bake:
		code, err = process.ExitSystem, linker.Bake(stderr, c.Linker(nil, 0), c.Optional)
	case config.Install:
		code, err = process.ExitSystem, linker.Install(c.Install)
	case config.Seed:
		code, err = process.ExitSystem, linker.Seed(stderr, c.Seed)
	case config.Try:
		t := &try.Try{Config: &c, Linker: c.Linker(c.Logger(stderr), process.Space(c.App, environ)), Inbox: inbox,
			App: command(&c, environ), In: os.Stdin, Out: out}
		return t.Run(process.Unread(os.Stdout))
	case config.Help:
		fmt.Fprint(out, config.Usage())
	case config.Version:
		fmt.Fprintln(out, "confit", version)
	}
	if err == nil {
		code = 0
	}
	return code, err
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
		Notify: socket,
		App:    command(c, environ),
	}.Run()
}

// command is what is run; hooks have its surroundings.
func command(c *config.Config, environ []string) process.Command {
	dir, _ := os.Getwd() // none if it was removed: then / is the app's, too
	return process.Command{Args: c.App, Env: environ, Dir: dir}
}

// leave ends this process and says why. The end of a visitor isn't the container's: kubectl exec or
// --status has started it. Only Flush waits for the reader of stderr, which may hang.
func leave(stderr *process.Log, code int, err error, visits bool) {
	if _, said := err.(try.Verdict); err != nil && !said {
		stderr.Say(err.Error())
	}
	if err != nil && !visits {
		process.WriteTerminationLog(err)
	}
	stderr.Flush()
	os.Exit(code)
}

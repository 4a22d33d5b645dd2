package integration

import (
	"strings"
	"testing"
)

// desk is an interactive shell at a terminal, which starts confit as one of its jobs: PID 1 of the namespace is the shell.
type desk struct {
	*terminal
	*confit // the shell
}

// newDesk starts the shell. There `confit APP` runs an app under confit, which says nothing but errors, and `talk` is an app
// that answers.
func newDesk(t *testing.T, s *setup) desk {
	t.Helper()
	quoted := "'" + strings.Join(append(s.command(), "--"), "' '") + "'"
	s.write(s.path("bin", "confit"), "#!/bin/sh\nexec "+quoted+" \"$@\"\n")
	s.write(s.path("bin", "talk"), "#!/bin/sh\necho up\nwhile read x; do echo \"got $x\"; done\necho over\n")
	s.env = append(s.env, "CONFIT_LOG_LEVEL=error", promptVariable, "PATH="+s.path("bin")+":/usr/sbin:/usr/bin:/sbin:/bin")
	k := s.onTerminal()
	d := desk{k, s.startCommand(shell...)}
	d.shows(prompt)
	return d
}

// stop types ^Z, and the shell, which waits for confit, has its prompt back.
func (d desk) stop() {
	d.terminal.t.Helper()
	d.types(ctrlZ)
	d.shows("Stopped")
	d.shows(prompt)
}

// fg types it, and the shell says what it waits for again.
func (d desk) fg(job string) {
	d.terminal.t.Helper()
	d.does("fg", "fg\r\n"+job+"\r\n")
	d.eventually("the shell waits", func() bool { return d.foreground() != d.pid })
}

// leave types exit, and the shell ends: nothing of it was left stopped, or without its terminal.
func (d desk) leave() {
	d.terminal.t.Helper()
	d.types("exit 3\n")
	d.ends(3)
}

// ^Z stops the app, and the shell, which waits for confit, has its prompt back; fg gives the terminal back to the app, bg
// lets it run without.
func TestJob_stop(t *testing.T) {
	asEach(t, func(t *testing.T, s *setup) {
		d := newDesk(t, s)
		d.does("confit talk", "up\r\n")
		d.does("one", "got one\r\n")
		for range 3 {
			d.stop()
			d.fg("confit talk")
			d.does("two", "got two\r\n")
		}
		d.stop()
		d.runs("bg", "&\r\n")
		d.runs("wait %1; echo wai''ted", "waited") // it reads, and so is stopped again
		d.runs("jobs", "Stopped")
		d.fg("confit talk")
		d.does("three", "got three\r\n")
		d.interrupts()
		d.runs("echo code=$?", "code=130")
		d.leave()
	})
}

// bg of an app that doesn't read: it goes on, and the terminal stays the shell's, until fg.
func TestJob_background(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	d := newDesk(t, s)
	job := `confit sh -c 'echo u""p; exec sleep 7654321'`
	d.does(job, "up\r\n")
	d.stop()
	d.runs("bg", "&\r\n")
	d.eventually("everybody goes on", func() bool { return d.stopped() == 0 })
	d.runs("jobs", "Running")
	d.fg(job)
	d.interrupts()
	d.runs("echo code=$?", "code=130")
	d.leave()
}

// Started in the background the app doesn't take the terminal from the shell. When it reads it is stopped, as any job, and
// has the terminal after fg.
func TestJob_started_in_background(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	d := newDesk(t, s)
	d.does("confit talk &", "up\r\n")
	d.eventually("the job is stopped", func() bool { return d.stopped() == 2 })
	d.runs("jobs", "Stopped")
	d.fg("confit talk")
	d.does("one", "got one\r\n")
	d.types(ctrlD)
	d.shows("over\r\n" + prompt)
	d.leave()
}

// A running job that fg brings to the foreground isn't told of it, but has the terminal when it reads.
func TestJob_foreground_while_running(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	d := newDesk(t, s)
	job := `confit sh -c 'echo u""p; until [ -e read ]; do sleep 0.01; done; exec talk'`
	d.does(job+" &", "up\r\n")
	d.fg(job)
	s.write(s.path("read"), "")
	d.shows("up\r\n")
	d.does("one", "got one\r\n")
	d.stop()
	d.fg(job)
	d.types(ctrlD)
	d.shows("over\r\n" + prompt)
	d.leave()
}

// Whatever else is part of the job is stopped and continued with it.
func TestJob_pipeline(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	d := newDesk(t, s)
	d.types("confit cat | cat\n")
	for range 3 {
		d.does("one", "one\r\none\r\n")
		d.stop()
		d.fg("confit cat | cat")
	}
	d.does("two", "two\r\ntwo\r\n")
	d.types(ctrlD)
	d.shows(prompt)
	d.runs("echo code=$?", "code=0")
	d.does("confit sh -c 'echo u\"\"p; sleep 7654321 | cat' | cat", "up\r\n") // ^C is the whole app's, though not its leader's
	d.interrupts()
	d.runs("echo code=$?", "code=130")
	d.gone("7654321")
	d.leave()
}

// A pager that stands behind confit has the terminal.
func TestJob_pager(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	d := newDesk(t, s)
	s.write(s.path("bin", "pager"), "#!/bin/sh\nread text\necho \"$text\"\nread key </dev/tty\necho \"key $key\"\nexec sleep 7654321\n")
	d.does("confit sh -c 'echo te\"\"xt; exec sleep 7654321' | pager", "text\r\n")
	d.does("q", "key q\r\n")
	d.interrupts()
	d.leave()
}

// A script around confit is stopped with it, and may read when confit has ended.
func TestJob_script(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	d := newDesk(t, s)
	s.write(s.path("bin", "script"), "#!/bin/sh\nconfit talk\nread x\necho \"script $x\"\n")
	d.does("script", "up\r\n")
	d.does("one", "got one\r\n")
	d.stop()
	d.fg("script")
	d.does("two", "got two\r\n")
	d.types(ctrlD)
	d.shows("over\r\n")
	d.does("three", "script three\r\n")
	d.leave()
}

// An inner shell can be suspended as any app, and has job control of its own.
func TestJob_inner_shell(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	d := newDesk(t, s)
	d.types("confit " + strings.Join(shell, " ") + "\n")
	d.shows(prompt)
	d.does("talk", "up\r\n")
	d.stop()
	d.does("suspend", "Stopped")
	d.shows(prompt)
	d.fg("confit " + strings.Join(shell, " "))
	d.shows(prompt)
	d.fg("talk")
	d.does("one", "got one\r\n")
	d.types(ctrlD)
	d.shows("over\r\n" + prompt)
	d.runs("exit 7", "exit\r\n")
	d.runs("echo code=$?", "code=7")
	d.leave()
}

// With tostop a log line from the background neither stops confit nor makes it try for ever.
func TestJob_tostop(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	web := s.volume("again")
	web.swap(keys{"a": "0"})
	s.line("link again/a %s", s.target("again"))
	d := newDesk(t, s)
	d.runs(`stty tostop`, "")
	d.does("CONFIT_LOG_LEVEL=info confit "+programs.app, "ready")
	web.swap(keys{"a": "1"})
	d.shows("app reloaded")
	d.types(ctrlZ)
	d.shows("signal TSTP") // this app catches it
	d.types(ctrlC)
	d.shows("signal INT")
	d.lacks("signal TTOU")
	d.term()
	d.shows("app exited")
	d.leave()
}

package confit

import (
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// `docker run -it`: the shell that is the app has job control, and sees the size of the window.
func TestTerminal_shell(t *testing.T) {
	eachUser(t, "", func(t *testing.T, s *setup) {
		s.linkOne()
		k := s.onTerminal()
		s.env = append(s.env, promptVariable)
		c := s.start(shell...)
		k.shows(prompt)
		k.runs(`case $- in *m*) echo con''trolled;; esac`, "controlled")

		k.does(`sh -c 'echo u""p; exec sleep 7654321' | cat`, "up\r\n")
		k.interrupts()
		k.runs(`echo code=$?`, "code=130")

		k.does(`sh -c 'echo u""p; exec sleep 7654321'`, "up\r\n")
		k.types(harness.CtrlZ)
		k.shows("Stopped")
		k.shows(prompt)
		k.runs(`bg`, "sleep 7654321")
		k.runs(`jobs`, "Running")
		k.does(`fg`, "sleep 7654321'\r\n")
		c.Eventually("the shell waits", func() bool { return k.foreground() != c.find("bash").PID })
		k.interrupts()
		k.runs(`echo code=$?`, "code=130")

		k.resize(31, 97)
		k.runs(`stty size`, "31 97")
		k.runs(`trap 'echo si""zed' WINCH`, "")
		k.resize(32, 98)
		k.does(`:`, "sized")
		k.runs(`stty size`, "32 98")
		k.types("exit 3\n")
		c.Ends(3)
	})
}

// The kernel signals a new size to the app. confit forwards a WINCH that somebody sends to it like any signal, and so it does
// those that would stop a process which doesn't catch them.
func TestTerminal_signals(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	k := s.onTerminal()
	c := s.start(app("-exit", "TERM=0")...)
	k.shows("ready")
	k.resize(31, 97)
	k.shows("signal WINCH")
	for _, sig := range []unix.Signal{unix.SIGWINCH, unix.SIGTTIN, unix.SIGTTOU, unix.SIGTSTP, unix.SIGCONT} {
		c.Signal(sig)
		k.shows("signal " + harness.SignalName(sig))
	}
	k.types(harness.CtrlC)
	k.shows("signal INT")
	c.term()
	c.Ends(0)
}

// ^C ends the app's whole group, and confit exits with 130.
func TestTerminal_interrupt(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	k := s.onTerminal()
	c := s.start("sh", "-c", "echo up; sleep 7654321 | cat; exit 9")
	k.shows("up\r\n")
	k.types(harness.CtrlC)
	c.Ends(130)
}

// ^Z stops the app and all of its group. With no shell above confit nobody types fg: CONT resumes them, and the terminal is
// still theirs.
func TestTerminal_stop(t *testing.T) {
	eachUser(t, "", func(t *testing.T, s *setup) {
		s.linkOne()
		k := s.onTerminal()
		s.flag("--log-level", "error") // no line of the log comes between
		c := s.start("sh", "-c", "echo up; cat | cat; exit 4")
		k.shows("up\r\n")
		k.does("one", "one\r\none\r\n")
		for range 3 {
			k.types(harness.CtrlZ)
			c.Eventually("the whole group is stopped", func() bool { return c.stopped() == 3 })
			c.Signal(unix.SIGCONT)
			c.Eventually("the whole group goes on", func() bool { return c.stopped() == 0 })
			k.does("two", "two\r\ntwo\r\n")
		}
		k.types(harness.CtrlD)
		c.Ends(4)
	})
}

// stopped counts the processes in the box that are stopped.
func (c *confit) stopped() (n int) {
	for _, p := range c.Processes() {
		if p.State == "T" {
			n++
		}
	}
	return n
}

// After a restart the new app has the terminal. confit is in the background then, and giving the terminal didn't stop it.
func TestTerminal_restart(t *testing.T) {
	eachUser(t, "", func(t *testing.T, s *setup) {
		s.linkOne()
		k := s.onTerminal()
		web := s.linkAgain("0")
		s.flag("--reload", "restart")
		c := s.start("sh", "-c", `echo up $(cat "$1"); while read x; do echo "got $x"; done`, "app", s.target("again"))
		k.shows("up 0\r\n")
		for _, turn := range []string{"1", "2", "3"} {
			web.swap(keys{"a": turn})
			k.shows("up " + turn + "\r\n")
			k.does("line", "got line\r\n")
		}
		k.types(harness.CtrlC)
		c.Ends(130)
	})
}

// linkAgain links a key besides the usual one.
func (s *setup) linkAgain(text string) *volume {
	s.t.Helper()
	again := s.volume("again")
	again.swap(keys{"a": text})
	s.line("link again/a %s", s.target("again"))
	return again
}

// With `stty tostop` a process in the background is stopped when it writes. confit is in the background, and writes its log
// nevertheless.
func TestTerminal_tostop(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	k := s.onTerminal()
	web := s.linkAgain("0")
	c := s.start("sh", "-c", `stty tostop; exec "$@"`, "sh", programs.app)
	k.shows("ready")
	for _, turn := range []string{"1", "2", "3"} {
		web.swap(keys{"a": turn})
		k.shows("app reloaded")
	}
	k.lacks("signal TTOU")
	c.term()
	k.shows("app exited")
	c.Ends(0)
}

// A terminal that isn't confit's controlling one is a file like any other: the app isn't put in its foreground.
func TestTerminal_of_another_session(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	k := s.onTerminal()
	c := s.startCommand(append([]string{"/usr/bin/setsid", "--fork", "--wait"}, append(s.command(), "--", "sh", "-c", `read x; echo "got $x"; exit 6`)...)...)
	k.does("hello", "got hello\r\n")
	c.Ends(6)
}

// A hook has no terminal: it can neither read what is typed for the app nor make itself the foreground group, even if it ignores
// the signals that would stop it.
func TestTerminal_hook(t *testing.T) {
	for name, hook := range map[string]string{
		"reads":  `read x </dev/tty`,
		"writes": `echo stolen >/dev/tty`,
		"takes":  `trap "" TTIN TTOU TSTP; exec bash -i </dev/tty >/dev/tty`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newExit(t)
			k := s.onTerminal()
			web := s.linkAgain("good")
			s.flag("--validate", `sh -c 'grep -q good {candidate}/again/a && exit; `+hook+`'`)
			c := s.start("sh", "-c", `while read x; do echo "got $x"; done; exit 5`)
			k.shows("app started")
			web.swap(keys{"a": "bad"})
			k.shows("candidate rejected")
			k.does("mine", "got mine\r\n")
			k.lacks("stolen\r\n")
			k.types(harness.CtrlD)
			c.Ends(5)
		})
	}
}

// A hook that is stopped is killed at its deadline like any other.
func TestTerminal_stopped_hook(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	k := s.onTerminal()
	web := s.linkAgain("good")
	s.flag("--hook-timeout", "2s", "--validate", `sh -c 'grep -q good {candidate}/again/a && exit; kill -STOP $$'`)
	c := s.start("sh", "-c", `read x; exit 5`)
	k.shows("app started")
	web.swap(keys{"a": "bad"})
	k.shows("candidate rejected")
	c.gone("grep -q good")
	k.types("\n")
	c.Ends(5)
}

// An app that was killed leaves the terminal as it had set it. The next one has it as the first one found it, and ^C is a key again.
func TestTerminal_settings_after_a_restart(t *testing.T) {
	eachUser(t, "", func(t *testing.T, s *setup) {
		web := s.linkOne()
		s.flag("--reload", "restart", "--stop-timeout", "100ms")
		k := s.onTerminal()
		c := s.start("sh", "-c", `[ "$(cat "$1")" = second ] || { stty raw -echo; trap "" TERM INT; }
			echo "up $(cat "$1")"; while :; do sleep 0.05; done`, "app", s.target("a"))
		k.shows("up first")
		web.swap(keys{"a": "second"})
		k.shows("app killed")
		k.shows("up second\r\n")
		k.types(harness.CtrlC)
		c.Ends(130)
	})
}

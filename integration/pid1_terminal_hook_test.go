package integration

import (
	"testing"

	"confit/integration/internal/harness"
)

// A hook has no terminal: it can neither read what is typed for the app nor make itself the foreground group, even one that
// isn't stopped by the attempt.
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
			web := s.volume("again")
			web.swap(keys{"a": "good"})
			s.line("link again/a %s", s.target("again"))
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
	web := s.volume("again")
	web.swap(keys{"a": "good"})
	s.line("link again/a %s", s.target("again"))
	s.flag("--hook-timeout", "2s", "--validate", `sh -c 'grep -q good {candidate}/again/a && exit; kill -STOP $$'`)
	c := s.start("sh", "-c", `read x; exit 5`)
	k.shows("app started")
	web.swap(keys{"a": "bad"})
	k.shows("candidate rejected")
	c.gone("grep -q good")
	k.types("\n")
	c.Ends(5)
}

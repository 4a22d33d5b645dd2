package confit

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"
	"unicode/utf8"
)

// asked is what `kubectl exec POD -- confit --status` says and ends with: in the namespaces of the container, with a terminal or a pipe.
type asked struct {
	*confit
	terminal bool
}

func (a asked) status(flag string) (text string, code int) {
	a.t.Helper()
	cmd := a.Visit("-m", "-p", programs.confit, flag, "--state", a.setup.state)
	if !a.terminal {
		out, _ := cmd.Output()
		return string(out), cmd.ProcessState.ExitCode()
	}
	k := a.setup.onTerminal()
	_ = k.Run(cmd)
	return strings.ReplaceAll(k.Screen(), "\r\n", "\n"), cmd.ProcessState.ExitCode()
}

// want checks that a status has all the texts, and the form and the exit code that it should have.
func (a asked) want(flag string, code int, forPeople bool, texts ...string) {
	a.t.Helper()
	text, got := a.status(flag)
	if got != code || json.Valid([]byte(text)) == forPeople {
		a.t.Errorf("%s, on a terminal %v: exit code %d, want %d, for people %v:\n%s", flag, a.terminal, got, code, forPeople, text)
	}
	for _, want := range texts {
		if !strings.Contains(text, want) {
			a.t.Errorf("%s: there is no %q in\n%s", flag, want, text)
		}
	}
	for line := range strings.Lines(text) {
		if forPeople && utf8.RuneCountInString(strings.TrimSuffix(line, "\n")) > 80 {
			a.t.Errorf("%s: wider than a terminal: %q", flag, line)
		}
	}
}

// The status is text for people unless a machine asks for JSON, on a terminal and without one. The exit code is the same.
func TestPodStatus_forms(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	s.line("probation 0")
	web.swap(keys{"text": "first", "check": "exit 0"})
	c := s.start(app()...)
	c.Says("ready", 1)
	c.reports("quiet", report.quiet)
	screen, pipe := asked{c, true}, asked{c, false}
	screen.want("--status", 0, true, "WELL: what is mounted is live and accepted\n", "\napp        pid ", "\nreload     signal:HUP\n")
	pipe.want("--status", 0, true, "WELL: what is mounted is live and accepted\n")

	web.swap(keys{"text": "bad", "check": "echo 'line 7: no such thing'; exit 1"})
	c.reports("rejected", report.refused)
	for _, a := range []asked{screen, pipe} {
		a.want("--status=json", 3, false)
		a.want("--status=text", 3, true)
		a.want("--status", 3, true, "REJECTED: the app has what was accepted before\n", " in step validate, attempt ",
			"\noutput     line 7: no such thing\n", "\nnext try   in ", "\nto do      fix what is mounted", "\nlive       "+c.setup.report().Live.Hash[:12])
	}

	web.swap(keys{"text": "third", "check": "exit 0"})
	c.reports("fixed", report.quiet)
	screen.want("--status", 0, true, "WELL: ", "; not mounted now\n")
}

// Without a status the message is the same on a terminal, and a form that there isn't is a wrong command line.
func TestPodStatus_none(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	k := s.onTerminal()
	cmd := exec.Command(programs.confit, "--status", "--state", s.state)
	_ = k.Run(cmd)
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.HasPrefix(k.Screen(), "confit: cannot read a status in state directory") {
		t.Errorf("exit code %d:\n%s", code, k.Screen())
	}
	for _, words := range [][]string{{"--status=xml"}, {"--status", "text"}} {
		if _, stderr := s.runPlain(64, append([]string{programs.confit}, words...)...); !strings.Contains(stderr, "--status: ") {
			t.Errorf("%q: %s", words, stderr)
		}
	}
}

// What a confit leaves behind says that it has ended, and why.
func TestPodStatus_ended(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	c := s.start(app("-exit", "TERM=7")...)
	c.Says("ready", 1)
	c.stops(7)
	out, err := exec.Command(programs.confit, "--status=text", "--state", s.state).Output()
	for _, want := range []string{"ENDED: no confit runs here any more\n", "\nlast exit  exit 7, ", "\napp        not running\n"} {
		if !strings.Contains(string(out), want) {
			t.Errorf("there is no %q in\n%s%v", want, out, err)
		}
	}
}

package confit

import (
	"strings"
	"testing"
)

// runnable is a key that is a program.
func runnable(name string) map[string]file {
	script := "#!/bin/sh\ntrap 'exit 0' TERM\necho ready " + name + "\nwhile :; do sleep 0.02; done\n"
	return map[string]file{"run.sh": {script, 0o755}}
}

// newRunnable is a setup whose app is a key, and a shell for life.
func newRunnable(t *testing.T) (*setup, *volume) {
	t.Helper()
	s := newSetup(t)
	s.line("link web/run.sh %s", s.target("run.sh"))
	s.line("reload restart")
	s.line("entrypoint-timeout 0")
	web := s.volume("web")
	web.swapFiles(runnable("first"))
	return s, web
}

// unstartable are edits of such a key: the step in which they are rejected, and the exit code when nothing is accepted. What the
// kernel can't execute is a shell script, for execlp(3) and for confit, if it may be one.
var unstartable = []struct {
	name string
	key  file
	step string
	code int
}{
	{"no_interpreter", file{"#!/nonexistent/interpreter\n", 0o755}, "start", 127},
	{"not_executable", file{"#!/bin/sh\necho ready bad\n", 0o644}, "start", 126},
	{"empty", file{"", 0o755}, "start", 126},
	{"no_program", file{"\x7fELF and then nonsense (\n", 0o755}, "start", 126},
	{"nothing_to_do", file{"# nothing\n", 0o755}, "probation", 0},
	{"no_script", file{"nonsense (\n", 0o755}, "probation", 2},
}

// An app that can't be started on a bad edit is started on what was accepted.
func TestBadEdit_start(t *testing.T) {
	t.Parallel()
	for _, test := range unstartable {
		bad := map[string]file{"run.sh": test.key}
		t.Run(test.name+"/in_a_restart", func(t *testing.T) {
			t.Parallel()
			s, web := newRunnable(t)
			s.accept(s.target("run.sh"))
			s.flag("--probation", "1h")
			c := s.start(s.target("run.sh"))
			c.Says("ready first", 1)
			web.swapFiles(bad)
			c.Says("ready first", 2)
			c.wantUnstartable(web, test.step)
			c.wantRolledBack(1, "1")
		})
		t.Run(test.name+"/at_the_start", func(t *testing.T) {
			t.Parallel()
			s, web := newRunnable(t)
			s.accept(s.target("run.sh"))
			s.flag("--probation", "1h")
			web.swapFiles(bad)
			c := s.start(s.target("run.sh"))
			c.Says("ready first", 1)
			c.wantUnstartable(web, test.step)
		})
		t.Run(test.name+"/nothing_accepted", func(t *testing.T) {
			t.Parallel()
			s, web := newRunnable(t)
			s.flag("--probation", "1h")
			web.swapFiles(bad)
			c := s.start(s.target("run.sh"))
			c.Ends(test.code)
			if s.stored().Number != 0 {
				t.Errorf("stored: %v", s.stored())
			}
		})
	}
}

// wantUnstartable checks the rejection of a bad edit, and that a fixed one is taken up.
func (c *confit) wantUnstartable(web *volume, step string) {
	c.t.Helper()
	if e := c.wantRejected(step, 1); (e["nextTry"] != "") != (step == "soak") {
		c.t.Errorf("logged %v, want no next try, as it would cost service, or one after an hour", e)
	}
	c.tells(3, "the rejection", func(st report) bool {
		return st.Rejection.Step == step && st.Live.Hash == c.setup.stored().Hash && st.Live.Hash == st.Accepted.Hash
	})
	web.swapFiles(runnable("fixed"))
	c.Says("ready fixed", 1)
	c.wantLogged("candidate rejected", 1)
	c.stops(0)
}

// The mode alone changes. That asks nothing of the app, so it is accepted unseen. No start can execute it. The first one ends the container,
// the second one goes down to the generation on which an app was started.
func TestBadEdit_start_mode_alone(t *testing.T) {
	t.Parallel()
	s, web := newRunnable(t)
	s.flag("--probation", "200ms", "--soak", "2s")
	c := s.start(s.target("run.sh"))
	c.accepts(1)
	c.Says("ready first", 1)
	web.swapRaw(keys{"run.sh": runnable("first")["run.sh"].Data}, func(string) error { return nil }) // its mode is 0644
	c.accepts(2)
	c.stops(0)
	c = s.start(s.target("run.sh"))
	c.Ends(126)
	c.wantLogged("candidate rejected", 0)
	c = s.start(s.target("run.sh"))
	c.Says("ready first", 1)
	c.wantUnstartable(web, "soak")
}

// The program was never a key, so no edit is to blame that it can't be started.
func TestBadEdit_start_not_the_edit(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	web.swap(keys{"text": "first"})
	s.accept(app()...)
	web.swap(keys{"text": "second"})
	c := s.start(s.path("nothing"))
	c.Ends(127)
	c.wantMention(s.path("nothing"))
	if got := strings.Join(c.Texts("stdout", ""), "\n"); got != "" {
		t.Errorf("something ran: %q", got)
	}
}

// A start names the hooks whose programs are missing, by their lines: without that only an edit would show it.
func TestStart_names_hooks_that_will_fail(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	web.swap(keys{"text": "first"})
	s.line("gate ask --nicely")
	s.line("report %s", s.path("tell"))
	s.line("verify true")
	s.line("link web/text %s reload=exec:again", s.target("second"))
	c := s.start(app()...)
	c.logs("hook will fail", 3)
	warned := c.entries("hook will fail")
	for i, want := range []string{":3: gate: cannot start", ":4: report: cannot start", ":6: reload: cannot start"} {
		if !strings.Contains(warned[i]["error"], want) {
			t.Errorf("warning %d: %v, want %q", i, warned[i], want)
		}
	}
	c.logs("app started", 1)
}

package confit

import (
	"maps"
	"strings"
	"testing"
)

// A broken edit is refused by `nginx -t`, before it is published or in the moment after, and the site stays as it was.
func TestValidate_nginx(t *testing.T) {
	tests := []struct {
		name     string
		include  func(*setup) string
		validate func(*setup) string
	}{
		{"candidate_relative_include",
			func(*setup) string { return "conf.d" },
			func(*setup) string { return "{candidate}/web/nginx.conf" }},
		{"published_absolute_include",
			func(s *setup) string { return s.target("conf.d") },
			func(s *setup) string { return s.target("nginx.conf") }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s := newNginx(t)
			web := s.volume("web")
			s.flag("--validate", "nginx -t -q -e stderr -c "+test.validate(s))
			good := s.site(test.include(s), pageKeys(keys{"a": "first", "b": "first"}))
			web.swap(good)
			c := s.start(s.nginx()...)
			c.servesAll(keys{"a": "first", "b": "first"})

			// One page broken, one gone, one new: all of it has to be taken back.
			web.swap(s.site(test.include(s), keys{"conf.d/a.conf": "location = / { nonsense; }\n", "conf.d/c.conf": location("c", "new")}))
			c.wantRejected("validate", 1)
			c.servesAll(keys{"a": "first", "b": "first"})
			c.Eventually("the targets of the last good state", func() bool {
				return !exists(s.target("conf.d/c.conf")) && exists(s.target("conf.d/b.conf"))
			})
			s.wantFiles(keys{"conf.d/a.conf": good["conf.d/a.conf"], "conf.d/b.conf": good["conf.d/b.conf"]})
			if !c.Contains(`unknown directive "nonsense"`) {
				t.Error("nginx's own message isn't on stderr")
			}
			c.wantLogged("app reloaded", 0)

			web.swap(s.site(test.include(s), pageKeys(keys{"a": "second"})))
			c.serves("a", "second")
			c.serves("b", "404 Not Found")
			c.wantLogged("app reloaded", 1)
			c.wantLogged("app started", 1)
		})
	}
}

// One bad validator after another: each time the candidate is rejected, the app isn't reloaded, and nothing of the validator is
// left. The next good one is in force.
func TestValidate_misbehaving(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, check, reason string
	}{
		{"fails", "exit 3", "3"},
		{"killed", "kill -SEGV $$", ""},
		{"hangs", "sleep 7654321", ""},
		{"hangs_with_children", "sleep 7654321 & (sleep 7654321 &); sleep 7654321", ""},
		{"ignores_term", "trap '' TERM INT HUP; sleep 7654321 & while :; do wait; done", ""},
		{"closes_output", "exec >&- 2>&-; sleep 7654321", ""},
		{"leaves_children_and_fails", "sleep 7654321 & sleep 7654321 & exit 1", "1"},
		{"prints_much_and_fails", "head -c 10485760 /dev/zero | tr '\\0' x; echo; exit 1", "1"},
		{"syntax_error", "if then (", "2"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, web := newChecked(t)
			s.flag("--hook-timeout", "3s")
			web.swap(keys{"text": "first", "check": "exit 0"})
			c := s.start(app("-print", s.target("text"))...)
			c.Says("ready", 1)
			web.swap(keys{"text": "bad", "check": test.check})
			e := c.wantRejected("validate", 1)
			if !strings.Contains(e["reason"], test.reason) {
				t.Errorf("the reason is %q, want %q in it", e["reason"], test.reason)
			}
			c.gone("sleep 7654321")
			s.wantFiles(keys{"text": "first"})
			web.swap(keys{"text": "second", "check": "exit 0"})
			c.Says("read second", 1)
			c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 1)
		})
	}
}

// A validator that does odd things but succeeds is a success. Children that it leaves behind are ended all the same.
func TestValidate_odd_but_good(t *testing.T) {
	tests := map[string]string{
		"forks":                "(exit 0) & (exit 1) & wait; exit 0",
		"leaves_children":      "sleep 7654321 & sleep 7654321 & exit 0",
		"prints_much":          "head -c 10485760 /dev/zero | tr '\\0' x; echo",
		"prints_much_to_both":  "head -c 1048576 /dev/zero | tr '\\0' x >&2; echo >&2; head -c 1048576 /dev/zero | tr '\\0' y; echo",
		"reads_standard_input": "cat",
		"closes_output":        "exec >&- 2>&-; exit 0",
	}
	for name, check := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newChecked(t)
			web.swap(keys{"text": "first", "check": "exit 0"})
			c := s.start(app("-print", s.target("text"))...)
			c.Says("ready", 1)
			web.swap(keys{"text": "second", "check": check})
			c.Says("read second", 1)
			c.gone("sleep 7654321")
			c.wantLogged("candidate rejected", 0)
			if name == "prints_much" {
				c.Eventually("all of the 10 MiB", func() bool { return c.Size("stderr") > 10<<20 })
			}
		})
	}
}

// A validator that can't be run rejects every candidate: 78 for the first one, and a rejection later.
func TestValidate_not_runnable(t *testing.T) {
	t.Run("missing_at_start", func(t *testing.T) {
		t.Parallel()
		c := startWithValidator(t, "/nonexistent/validator {candidate}")
		c.Ends(78)
		c.wantMention("/nonexistent/validator")
	})
	t.Run("not_executable_at_start", func(t *testing.T) {
		t.Parallel()
		c := startWithValidator(t, "/etc/passwd {candidate}")
		c.Ends(78)
		c.wantMention("/etc/passwd")
	})
	t.Run("later", func(t *testing.T) {
		t.Parallel()
		s := newSetup(t)
		web := s.volume("web")
		s.line("link web/text %s", s.target("text"))
		s.line("link web/check %s optional", s.target("check"))
		s.line("validate {candidate}/web/check")
		s.line("reload signal:HUP")
		good := map[string]file{"text": {"first", 0o644}, "check": {"#!/bin/sh\n", 0o755}}
		web.swapFiles(good)
		c := s.start(app("-print", s.target("text"))...)
		c.Says("ready", 1)
		web.swapFiles(map[string]file{"text": {"unchecked", 0o644}, "check": {"#!/bin/sh\n", 0o644}})
		c.wantRejected("validate", 1)
		web.swap(keys{"text": "unchecked"})
		c.wantRejected("validate", 2)
		s.wantFiles(keys{"text": "first"})
		good["text"] = file{"second", 0o644}
		web.swapFiles(good)
		c.Says("read second", 1)
		c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 1)
	})
}

func startWithValidator(t *testing.T, command string) *confit {
	t.Helper()
	s := newSetup(t)
	web := s.volume("web")
	s.line("link web/text %s", s.target("text"))
	s.line("validate %s", command)
	web.swap(keys{"text": "first"})
	return s.start(app()...)
}

// A validator sees the candidate's number, directory and changes, and the app's environment; its input is empty.
func TestValidate_environment(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	s.env = append(s.env, "SITE=example")
	check := `echo "hook: site=$SITE generation=$CONFIT_GENERATION text=$(cat "$CONFIT_CANDIDATE/web/text")` +
		` changed=$(echo $CONFIT_CHANGED) input=$(cat | wc -c)"`
	web.swap(keys{"text": "first", "check": check})
	c := s.start(app("-print", s.target("text"))...)
	c.Says("ready", 1)
	web.swap(keys{"text": "second", "check": check})
	c.Says("read second", 1)
	var lines []string
	c.Eventually("two hooks", func() bool {
		lines = c.Texts("stderr", "hook: ")
		return len(lines) >= 2
	})
	want := []string{
		"hook: site=example generation=1 text=first changed=web/check web/text input=0",
		"hook: site=example generation=2 text=second changed=web/text input=0",
	}
	if strings.Join(lines, "\n") != strings.Join(want, "\n") {
		t.Errorf("the hooks said\n%s\nwant\n%s", strings.Join(lines, "\n"), strings.Join(want, "\n"))
	}
}

// While one candidate is validated others come in: the newest is validated next, those between aren't.
func TestValidate_newest_wins(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	s.flag("--hook-timeout", "10m")
	release := s.path("release")
	slow := keys{"check": "until [ -e " + release + " ]; do sleep 0.01; done"}
	payload := func(text string) keys {
		k := maps.Clone(slow)
		k["text"] = text
		return k
	}
	web.swap(keys{"text": "first", "check": "exit 0"})
	c := s.start(app("-print", s.target("text"))...)
	c.Says("ready", 1)
	web.swap(payload("slow"))
	c.find("sh " + s.state)
	for _, text := range []string{"between1", "between2", "newest"} {
		web.swap(payload(text))
	}
	s.write(release, "")
	c.Says("read newest", 1)
	for _, text := range []string{"between1", "between2"} {
		c.wantCount("reads of "+text, len(c.Texts("stdout", "read "+text)), 0)
	}
	if told := len(c.Texts("stdout", "signal HUP")); told > 2 {
		t.Errorf("%d reloads, want at most that of the slow one and that of the newest", told)
	}
}

// A validator in a session of its own is beyond its process group, and so beyond confit. It survives as long as the container
// runs, but delays nothing, and ends with the container.
func TestValidate_own_session(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	web.swap(keys{"text": "first", "check": "exit 0"})
	c := s.start(app("-print", s.target("text"))...)
	c.Says("ready", 1)
	web.swap(keys{"text": "second", "check": "setsid sleep 7654321 & exit 0"})
	c.Says("read second", 1)
	web.swap(keys{"text": "third", "check": "exit 0"})
	c.Says("read third", 1)
	c.stops(0)
}

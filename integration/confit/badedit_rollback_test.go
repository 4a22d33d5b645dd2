package confit

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A reload hook runs for a roll back as for any other change: with the accepted generation's number and directory, and the keys
// that differ from the last reload.
func TestRollBack_exec(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/text %s", s.target("text"))
	s.line("link web/same %s", s.target("same"))
	s.line(`reload exec:sh -c 'echo "hook: $CONFIT_GENERATION $CONFIT_CHANGED $CONFIT_CANDIDATE $(cat $CONFIT_CANDIDATE/web/text)"; ! grep -q bad {candidate}/web/text'`)
	web := s.volume("web")
	web.swap(keys{"text": "first", "same": ""})
	c := s.start(app()...)
	c.Says("ready", 1)
	web.swap(keys{"text": "bad", "same": ""})
	c.wantRejected("reload", 1)
	c.logs("app reloaded", 1)
	web.swap(keys{"text": "second", "same": ""})
	c.accepts(2)
	want := []string{
		"hook: 2 web/text " + s.state + "/generations/2 bad",
		"hook: 1 web/text " + s.state + "/generations/1 first",
		"hook: 3 web/text " + s.state + "/generations/3 second",
	}
	c.Eventually("three hooks", func() bool { return len(c.Texts("stderr", "hook: ")) >= 3 })
	if got := c.Texts("stderr", "hook: "); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the hooks said\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	c.wantLogged("app started", 1)
}

// A roll back reloads the app as the change did: by the strongest of its links.
func TestRollBack_per_link(t *testing.T) {
	t.Parallel()
	tests := []struct {
		changed, want string
	}{
		{"s", "signal"}, {"ns", "signal"}, {"se", "exec"}, {"ser", "restart"}, {"nd", "default"},
	}
	for _, test := range tests {
		t.Run(test.changed, func(t *testing.T) {
			t.Parallel()
			s, web, k := newPerLink(t)
			s.line("verify-timeout 2s")
			s.line("verify sh -c 'cat %s/* | grep -q 2 && exit 1; exit 0'", s.target())
			c := s.start(app()...)
			c.accepts(1)
			c.Says("ready", 1)
			for name := range strings.SplitSeq(test.changed, "") {
				k[name] = "2"
			}
			web.swap(k)
			c.wantRejected("verify", 1)
			effects := c.effects()
			c.Eventually("being reloaded twice", func() bool { return effects[test.want]() == 2 })
			c.tells(3, "the end of the roll back", func(st report) bool { return st.Phase == "running" && st.Counters.RollBacks == 1 })
			for name, count := range effects {
				c.wantCount(name, count(), map[string]int{test.want: 2}[name])
			}
			s.wantFiles(keys{"n": "1", "s": "1", "e": "1", "r": "1", "d": "1"})
		})
	}
}

// A roll back takes away the links that the bad edit brought, and brings back those that it took away.
func TestRollBack_targets(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/* %s/", s.target("conf.d"))
	s.line("link web/ %s", s.target("whole"))
	s.line("reload signal:HUP")
	s.write(s.target("conf.d/new"), coveredFile)
	web := s.volume("web")
	web.swap(keys{"text": "first", "old": "1"})
	s.accept(app()...)
	before := s.tree(s.path("etc"))
	s.flag("--probation", "1h")
	web.swap(keys{"text": "die 3", "new": "2"})
	c := s.start(app("-print", s.target("conf.d/text"))...)
	c.Says("ready", 1)
	c.wantRejected("probation", 1)
	if after := s.tree(s.path("etc")); after != before {
		t.Errorf("before:\n%s\nafter:\n%s", before, after)
	}
	s.wantFiles(keys{"conf.d/text": "first", "conf.d/old": "1", "conf.d/new": coveredFile, "whole/text": "first"})
	c.Eventually("no leftovers", func() bool { return len(s.leftovers()) == 0 })
}

// An app that can't stand two reloads at once never sees two, nor a reload while it is verified. A change that comes in meanwhile
// waits.
func TestRollBack_no_overlap(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	lock, overlap := s.path("lock"), s.path("overlap")
	busy := func(verdict string) string {
		return "sh -c 'mkdir " + lock + " || touch " + overlap + "; sleep 0.05; rmdir " + lock + "; " + verdict + "'"
	}
	s.line("link web/text %s", s.target("text"))
	s.line("reload exec:%s", busy("! grep -q bad "+s.target("text")))
	s.line("verify %s", busy("exit 0"))
	web := s.volume("web")
	web.swap(keys{"text": "first"})
	c := s.start(app()...)
	c.accepts(1)
	for round := range 10 {
		before := len(c.entries("generation published"))
		for _, text := range []string{"bad", "good", "bad again", "second"} {
			web.swap(keys{"text": fmt.Sprint(text, round)})
		}
		c.logs("generation published", before+1) // so that not all of them are one
	}
	web.swap(keys{"text": "last"})
	c.Eventually("the last edit", func() bool {
		text, err := os.ReadFile(s.target("text"))
		return err == nil && string(text) == "last"
	})
	c.tells(0, "the last edit being accepted", func(st report) bool {
		return st.Phase == "running" && st.Live.Hash == st.Accepted.Hash && st.Live.Hash == st.Mounted.Hash
	})
	if exists(overlap) {
		t.Error("two hooks ran at once")
	}
	c.wantLogged("app started", 1)
}

// In a roll back something is in the way of one target: a directory that isn't empty. The others are right, so the app goes on.
// confit logs the rest, and fixes it once it can.
func TestBadEdit_roll_back_in_part(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.line("link web/other %s", s.target("other"))
	web.swap(keys{"text": "first", "other": "same"})
	other := s.target("other")
	script := `
trap 'case $(cat "$0") in bad) rm "$1"; mkdir "$1"; : >"$1/mine"; exit 3;; esac; echo "reloaded $(cat "$0")"' HUP
trap 'exit 0' TERM
echo "ready $(cat "$0")"
while :; do sleep 0.02; done`
	app := []string{"sh", "-c", script, s.target("text"), other}
	s.accept(app...)
	s.flag("--probation", "1h", "--rescan", "200ms")
	c := s.start(app...)
	c.Says("ready first", 1)
	web.swap(keys{"text": "bad", "other": "same"})
	c.wantRejected("probation", 1)
	c.Says("ready first", 2)
	c.wantLogged("app started", 2)
	s.wantFiles(keys{"text": "first"})
	if !exists(other + "/mine") {
		t.Error("the directory that was in the way is gone")
	}
	c.Eventually("a warning that names what is in the way", func() bool { return c.warnsOf(other) })
	c.tells(3, "what is in force", func(st report) bool {
		return st.Live.Hash == s.stored().Hash && st.Live.Hash == st.Accepted.Hash
	})
	if err := os.RemoveAll(other); err != nil {
		t.Fatal(err)
	}
	web.swap(keys{"text": "fixed", "other": "fixed, too"})
	c.Says("reloaded fixed", 1)
	s.wantFiles(keys{"text": "fixed", "other": "fixed, too"})
	c.wantLogged("app started", 2)
	c.stops(0)
}

// warnsOf reports whether a warning or an error names something.
func (c *confit) warnsOf(text string) bool {
	for _, line := range c.Texts("stderr", "time=") {
		if level := parseEntry(line)["level"]; (level == "WARN" || level == "ERROR") && strings.Contains(line, text) {
			return true
		}
	}
	return false
}

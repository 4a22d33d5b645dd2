package integration

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// A reload hook is told of a roll back as of any other change: with the accepted generation's number and directory, and the
// keys that are different from what the app was told last.
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

// A roll back asks of the app what the change asked: the strongest of its links.
func TestRollBack_per_link(t *testing.T) {
	tests := []struct {
		changed, want string
	}{
		{"s", "signal"}, {"ns", "signal"}, {"se", "exec"}, {"ser", "restart"}, {"nd", "default"},
	}
	for _, test := range tests {
		t.Run(test.changed, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			web := s.volume("web")
			s.line("link web/n %s reload=none", s.target("n"))
			s.line("link web/s %s reload=signal:USR1", s.target("s"))
			s.line("link web/e %s 'reload=exec:sh -c \"echo hook: exec\"'", s.target("e"))
			s.line("link web/r %s reload=restart", s.target("r"))
			s.line("link web/d %s", s.target("d"))
			s.line("reload signal:USR2")
			s.line("verify-timeout 2s")
			s.line("verify sh -c 'cat %s/* | grep -q 2 && exit 1; exit 0'", s.target())
			k := keys{"n": "1", "s": "1", "e": "1", "r": "1", "d": "1"}
			web.swap(k)
			c := s.start(app()...)
			c.accepts(1)
			c.Says("ready", 1)
			for name := range strings.SplitSeq(test.changed, "") {
				k[name] = "2"
			}
			web.swap(k)
			c.wantRejected("verify", 1)
			effects := map[string]func() int{
				"signal":  func() int { return len(c.Texts("stdout", "signal USR1")) },
				"default": func() int { return len(c.Texts("stdout", "signal USR2")) },
				"exec":    func() int { return len(c.Texts("stderr", "hook: exec")) },
				"restart": func() int { return len(c.Texts("stdout", "ready")) - 1 },
			}
			c.Eventually("being told twice", func() bool { return effects[test.want]() == 2 })
			c.tells(3, "the end of the roll back", func(st told) bool { return st.Phase == "running" && st.Counters.RollBacks == 1 })
			for name, count := range effects {
				c.wantCount(name, count(), map[string]int{test.want: 2}[name])
			}
			s.wantFiles(keys{"n": "1", "s": "1", "e": "1", "r": "1", "d": "1"})
		})
	}
}

// A roll back takes links with it that the bad edit brought, and brings back those that it took away.
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

// An app that can't stand two reloads at once never sees two, nor a reload while it is asked how it is: what comes in
// meanwhile waits.
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
	c.tells(0, "the last edit being accepted", func(st told) bool {
		return st.Phase == "running" && st.Live.Hash == st.Accepted.Hash && st.Live.Hash == st.Mounted.Hash
	})
	if exists(overlap) {
		t.Error("two hooks ran at once")
	}
	c.wantLogged("app started", 1)
}

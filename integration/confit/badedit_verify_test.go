package confit

import (
	"strings"
	"testing"
)

// A verify hook doesn't end, or never succeeds: the generation is taken back, the app is reloaded with the accepted one, and
// nothing of the hook is left. The next good edit is reloaded and proved.
func TestVerify_rolls_back(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ script, reason, output string }{
		"hangs":               {"sleep 7654321", "killed after 3s", ""},
		"hangs_with_children": {"sleep 7654321 & (sleep 7654321 &); echo no answer; sleep 7654321", "killed after 3s", "no answer"},
		"ignores_term":        {"trap '' TERM INT HUP; while :; do sleep 7654321; done", "killed after 3s", ""},
		"never_passes":        {"echo no answer; exit 7", "exit 7", "no answer"},
		"not_runnable":        {"exec /nonexistent/program", "exit 127", "/nonexistent/program"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web, script := newVerified(t, "3s")
			c := s.start(s.printer()...)
			c.accepts(1)
			c.Says("ready", 1)
			script(test.script)
			web.swap(keys{"text": "second"})
			if e := c.wantRejected("verify", 1); !strings.Contains(e["reason"], test.reason) || e["nextTry"] != "" {
				t.Errorf("logged %v, want reason %q and no next try", e, test.reason)
			}
			c.Says("read first", 2) // at the start, and when it was reloaded
			c.gone("sleep 7654321")
			s.wantFiles(keys{"text": "first"})
			c.tells(3, "the roll back", func(st report) bool {
				return st.Phase == "running" && st.Rejection.Step == "verify" && strings.Contains(st.Rejection.Output, test.output) &&
					st.Live.Hash == st.Accepted.Hash && st.Counters.RollBacks == 1
			})
			script("exit 0")
			web.swap(keys{"text": "third"})
			c.Says("read third", 1)
			if e := c.accepts(2); e["proof"] != "verify" {
				t.Errorf("logged %v, want verify as the proof", e)
			}
			c.wantLogged("app started", 1)
			c.wantLogged("candidate rejected", 1)
		})
	}
}

// An app needs a moment to be well: the hook is run until it succeeds.
func TestVerify_flaps(t *testing.T) {
	t.Parallel()
	s, web, script := newVerified(t, "10m")
	c := s.start(s.printer()...)
	c.accepts(1)
	c.Says("ready", 1)
	script(failsTimes(2))
	web.swap(keys{"text": "second"})
	if e := c.accepts(2); e["proof"] != "verify" {
		t.Errorf("logged %v, want verify as the proof", e)
	}
	c.Says("read second", 1)
	c.wantCount("attempts", len(c.Texts("stderr", "hook: attempt")), 3)
	c.wantLogged("candidate rejected", 0)
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 1)
}

// Whatever a successful hook left running ends with it.
func TestVerify_leaves_children(t *testing.T) {
	t.Parallel()
	s, web, script := newVerified(t, "10m")
	c := s.start(s.printer()...)
	c.accepts(1)
	c.Says("ready", 1)
	script("sleep 7654321 & (sleep 7654321 &) & exit 0")
	web.swap(keys{"text": "second"})
	c.accepts(2)
	c.gone("sleep 7654321")
}

// At the very first start there is nothing to go back to. The app stays, but its generation isn't stored, so that the next start
// doesn't take it for proved.
func TestVerify_first_start(t *testing.T) {
	t.Parallel()
	s, web, script := newVerified(t, "3s")
	script("exit 7")
	for range 2 {
		c := s.start(s.printer()...)
		if e := c.logs("generation not proved, and none was accepted before: it stays", 1); e["step"] != "verify" || e["reason"] == "" {
			t.Errorf("logged %v, want the step and the reason", e)
		}
		c.Says("ready", 1)
		c.wantLogged("generation accepted", 0)
		c.wantLogged(startsOnStored, 0)
		c.tells(3, "that it is rejected", func(st report) bool {
			return st.Phase == "running" && st.Rejection.Step == "verify" && st.Rejection.Hash == st.Live.Hash && st.Counters.Rejections == 1
		})
		c.Kill()
		if s.stored().Number != 0 {
			t.Errorf("stored: %v", s.stored())
		}
	}
	c := s.start(s.printer()...)
	c.logs("generation not proved, and none was accepted before: it stays", 1)
	c.Says("ready", 1)
	script("exit 0")
	web.swap(keys{"text": "second"})
	c.Says("read second", 1)
	c.accepts(1)
	c.wantLogged("app started", 1)
}

// The hook gets its generation's number and directory, and the app's environment.
func TestVerify_environment(t *testing.T) {
	t.Parallel()
	s, web, script := newVerified(t, "10m")
	s.env = append(s.env, "SITE=example")
	script(`echo "hook: site=$SITE generation=$CONFIT_GENERATION text=$(cat "$CONFIT_CANDIDATE/web/text") changed=$(echo $CONFIT_CHANGED) live=$(cat ` + s.target("text") + `)"`)
	c := s.start(s.printer()...)
	c.accepts(1)
	c.Says("ready", 1)
	web.swap(keys{"text": "second"})
	c.accepts(2)
	want := []string{
		"hook: site=example generation=1 text=first changed=web/text live=first",
		"hook: site=example generation=2 text=second changed=web/text live=second",
	}
	c.Eventually("both hooks", func() bool { return len(c.Texts("stderr", "hook: ")) >= 2 })
	if got := c.Texts("stderr", "hook: "); strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("the hooks said %q, want %q", got, want)
	}
}

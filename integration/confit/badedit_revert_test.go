package confit

import (
	"strings"
	"testing"

	"confit/integration/internal/harness"
)

// Reverting a bad edit to the live bytes is no reload: nothing has changed for the app. The next good edit is one again.
func TestRevert_to_live(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	good := keys{"text": "first", "check": "exit 0"}
	web.swap(good)
	c := s.start(app("-print", s.target("text"))...)
	c.Says("ready", 1)
	web.swap(keys{"text": "bad", "check": "exit 1"})
	rejected := c.wantRejected("validate", 1)
	web.swap(good)
	live := c.logs("mounted configuration is live again", 1)
	if !strings.Contains(rejected["live"], live["hash"]) || live["hash"] == rejected["hash"] {
		t.Errorf("live is %q, but the rejection named %q as live and %q as bad", live["hash"], rejected["live"], rejected["hash"])
	}
	c.wantCount("reloads", len(c.Texts("stdout", "signal ")), 0)
	web.swap(keys{"text": "second", "check": "exit 0"})
	c.Says("read second", 1)
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 1)
}

// Bad, then another good one.
func TestRevert_to_other_good(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	web.swap(keys{"text": "first", "check": "exit 0"})
	c := s.start(app("-print", s.target("text"))...)
	c.Says("ready", 1)
	web.swap(keys{"text": "bad", "check": "exit 1"})
	c.wantRejected("validate", 1)
	web.swap(keys{"text": "second", "check": "exit 0"})
	c.Says("read second", 1)
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 1)
	s.wantFiles(keys{"text": "second"})
}

// Several bad edits in a row are each rejected once. The same bad one again isn't validated again.
func TestRevert_after_several_bad(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	s.flag("--rescan", "50ms")
	s.box.Mounts = []harness.Mount{harness.StrictAtime(web.dir)}
	bad := func(text string) keys { return keys{"text": text, "check": "echo hook: $CONFIT_GENERATION; exit 1"} }
	web.swap(keys{"text": "first", "check": "exit 0"})
	c := s.start(app("-print", s.target("text"))...)
	c.Says("ready", 1)
	web.swap(bad("bad1"))
	c.wantRejected("validate", 1)
	web.swap(bad("bad2"))
	c.wantRejected("validate", 2)
	c.looksAt(web)
	web.swapRaw(bad("bad2"), func(string) error { return nil }) // other directory, same bytes
	c.looksAt(web)
	c.wantCount("validations", len(c.Texts("stderr", "hook: ")), 2)
	web.swap(keys{"text": "first", "check": "exit 0"})
	c.logs("mounted configuration is live again", 1)
	web.swap(keys{"text": "second", "check": "exit 0"})
	c.Says("read second", 1)
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 1)
	c.wantLogged("candidate rejected", 2)
}

// A good edit comes in while a bad one is being validated, and the other way round: the last one counts.
func TestRevert_during_validation(t *testing.T) {
	t.Parallel()
	s, web := newChecked(t)
	release := s.path("release")
	web.swap(keys{"text": "first", "check": "exit 0"})
	c := s.start(app("-print", s.target("text"))...)
	c.Says("ready", 1)
	web.swap(keys{"text": "bad", "check": "until [ -e " + release + " ]; do sleep 0.01; done; exit 1"})
	c.find("sh " + s.state)
	web.swap(keys{"text": "first", "check": "exit 0"})
	s.write(release, "")
	web.swap(keys{"text": "second", "check": "exit 0"})
	c.Says("read second", 1)
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 1)
	s.wantFiles(keys{"text": "second"})
}

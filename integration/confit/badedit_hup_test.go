package confit

import (
	"strings"
	"syscall"
	"testing"
)

// newLeaving is a setup under auto whose app leaves when it gets HUP, as programs do that take it for the end of their terminal.
// "first" was accepted.
func newLeaving(t *testing.T, probation string) (*setup, *volume) {
	t.Helper()
	s, web := newProved(t)
	s.lines[1] = "reload auto"
	web.swap(keys{"text": "first"})
	s.accept(app()...)
	s.flag("--probation", probation)
	return s, web
}

// An app that leaves when auto sends HUP, as if it was asked to, hasn't died of its configuration. It is started on the new
// generation, and restarted from then on. It may leave by HUP itself, with 129 as a shell does, with 0 or,
// the first time, with a code of its own.
func TestBadEdit_leaves_at_HUP(t *testing.T) {
	t.Parallel()
	for name, flags := range map[string][]string{
		"exit_0":   {"-reload", "USR1", "-exit", "HUP=0,TERM=0"},
		"exit_129": {"-reload", "USR1", "-exit", "HUP=129,TERM=0"},
		"exit_111": {"-reload", "USR1", "-exit", "HUP=111,TERM=0"}, // as runsvdir does
		"by_HUP":   {"-runtime", "HUP"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newLeaving(t, "3s")
			c := s.start(s.printer(flags...)...)
			c.Says("ready", 1)
			web.swap(keys{"text": "second"})
			c.Says("ready", 2)
			c.wantCount("reads of the new one", len(c.Texts("stdout", "read second")), 1)
			c.wantCount("reads of the accepted one", len(c.Texts("stdout", "read first")), 1)
			c.accepts(1)
			c.tells(0, "what was learnt", func(st report) bool {
				return strings.HasPrefix(st.App.Reload, "restart") && strings.Contains(st.App.Reload, "HUP")
			})
			c.wantLogged("candidate rejected", 0)
			web.swap(keys{"text": "third"})
			c.Says("read third", 1)
			c.wantCount("stop signals", len(c.Texts("stdout", "signal TERM")), 1)
			c.wantLogged("app started", 3)
		})
	}
}

// When the start on the new generation fails as well, the app died of that, and confit learns nothing: the next edit sends HUP
// again, and then it learns.
func TestBadEdit_leaves_at_HUP_and_dies(t *testing.T) {
	t.Parallel()
	s, web := newLeaving(t, "3s")
	c := s.start(s.printer("-reload", "USR1", "-exit", "HUP=0,TERM=0")...)
	c.Says("ready", 1)
	web.swap(keys{"text": "die 3"})
	if e := c.wantRejected("probation", 1); !strings.Contains(e["reason"], "exit 3") {
		t.Errorf("logged %v, want the exit code of the second end", e)
	}
	c.wantRolledBack(1, "1")
	c.Says("ready", 2)
	c.wantCount("reads of the accepted one", len(c.Texts("stdout", "read first")), 2)
	c.wantLogged("app started", 3)
	c.tells(3, "nothing learnt", func(st report) bool { return st.App.Reload == "auto" })
	web.swap(keys{"text": "second"})
	c.Says("read second", 1)
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 2)
	c.accepts(1)
	c.tells(0, "what was learnt", func(st report) bool { return strings.HasPrefix(st.App.Reload, "restart") })
	c.wantLogged("candidate rejected", 1)
	c.wantLogged("app started", 4)
}

// A HUP that somebody else sends is between them and the app, even when auto has sent one before: the app's end is its own.
func TestBadEdit_leaves_at_the_users_HUP(t *testing.T) {
	t.Parallel()
	s, web := newLeaving(t, "0s")
	c := s.start("sh", "-c", `
trap 'trap "exit 0" HUP; echo reloaded' HUP
echo ready
while :; do sleep 0.02; done`)
	c.Says("ready", 1)
	web.swap(keys{"text": "second"})
	c.Says("reloaded", 1)
	c.accepts(1)
	c.Signal(syscall.SIGHUP)
	c.Ends(0)
	c.wantLogged("app started", 1)
	c.wantLogged("candidate rejected", 0)
}

package integration

import (
	"strings"
	"testing"
)

// An edit that comes in a long probation waits for its end. But the status says at the next rescan that something else is mounted,
// with its keys, and that it is rejected as soon as that is known.
func TestStatus_in_a_probation(t *testing.T) {
	t.Parallel()
	for name, edit := range map[string]keys{"good": {"text": "third"}, "bad": {"other": "no key text"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web, script := newVerified(t, "1h")
			s.flag("--rescan", "300ms")
			c := s.start(s.printer()...)
			c.accepts(1)
			c.Says("ready", 1)
			script("exit 1")
			web.swap(keys{"text": "second"})
			c.Says("read second", 1)
			c.tells(0, "the probation", func(st report) bool { return st.Phase == "proving" && st.Mounted.Hash == st.Live.Hash })
			web.swap(edit)
			c.tells(0, "what is mounted now", func(st report) bool {
				sum, differs := st.Mounted.Keys["web/text"]
				return st.Phase == "proving" && st.Mounted.Hash != st.Live.Hash && differs && (sum == "") == (name == "bad")
			})
			if text, _ := s.runPlain(0, programs.confit, "--status=text", "--state", s.state); !strings.HasPrefix(text, "ON ITS WAY") {
				t.Errorf("the status is %q", text)
			}
			s.wantFiles(keys{"text": "second"})
			web.swap(keys{"text": "second"})
			c.tells(0, "the same again", func(st report) bool { return st.Phase == "proving" && st.Mounted.Hash == st.Live.Hash })
			web.swap(edit)
			script("exit 0")
			if name == "good" {
				c.Says("read third", 1)
				c.accepts(3)
			} else {
				c.accepts(2)
				c.wantRejected("stage", 1)
			}
		})
	}
}

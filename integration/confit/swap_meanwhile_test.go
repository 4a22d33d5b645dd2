package confit

import "testing"

// An edit that comes in a long probation waits for its end, and is judged then.
func TestSwap_in_a_probation(t *testing.T) {
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
			s.wantFiles(keys{"text": "second"})
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

package integration

import "testing"

// An app that reads what has changed when it is reloaded, and one to which HUP means something else. For the second nothing is
// taken back, but the log and the status say so: after half a minute, as some apps finish their work first.
func TestRead(t *testing.T) {
	for name, test := range map[string]struct {
		print string
		read  bool
	}{"opened": {"a", true}, "never": {"none", false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newReload(t, "signal:HUP")
			c := s.start(app("-print", s.target(test.print))...)
			c.Says("ready", 1)
			c.tells(0, "nothing known at the start", func(st told) bool { return st.App.Read == nil && st.Phase == "running" })
			web.swap(keys{"a": "second"})
			c.Says("signal HUP", 1)
			c.tells(0, "whether it was read", func(st told) bool { return st.App.Read != nil && *st.App.Read == test.read })
			c.wantLogged("app has not opened what changed", map[bool]int{true: 0, false: 1}[test.read])
			c.wantLogged("candidate rejected", 0)
			c.wantLogged("app started", 1)
		})
	}
}

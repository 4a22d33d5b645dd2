//go:build check

package daemons

import "testing"

// These have no handler for HUP themselves: an init has a child that has one, and keepalived, which reads a signalfd(2), blocks it. They are
// reloaded like daemons with a handler: the same process serves the new configuration.
func TestWaiter(t *testing.T) {
	inits := []daemon{behind("tini", "tini -s --"), behind("dumb-init", "dumb-init"), behind("catatonit", "catatonit --")}
	for action, list := range map[string][]daemon{"auto": inits, "signal:HUP": append(inits, keepalived)} {
		for _, d := range list {
			t.Run(action+"/"+d.name, func(t *testing.T) {
				t.Parallel()
				waits(t, d, action, 1)
			})
		}
	}
}

// Who takes HUP by sigwait(3) doesn't show it, and auto goes by handlers alone: named and keepalived are restarted, and live.
func TestWaiter_restarted(t *testing.T) {
	for action, list := range map[string][]daemon{"auto": {keepalived, named}, "signal:HUP": {named}} {
		for _, d := range list {
			t.Run(action+"/"+d.name, func(t *testing.T) {
				t.Parallel()
				waits(t, d, action, 3)
			})
		}
	}
}

// waits makes two edits of a daemon, and counts its starts. If there is one, it is the same process.
func waits(t *testing.T, d daemon, action string, starts int) {
	d = d.toldBy(0) // none that it could be seen to catch
	d.lines = "reload " + action + "\n"
	s, c := up(t, d)
	pid := c.appPID()
	for n := 2; n < 4; n++ {
		s.swap(s.good(n))
		c.serves(name(n))
		c.accepts(n)
	}
	c.wantLogged(starts, `msg="app started"`)
	c.wantLogged(3-starts, reloaded, "signal=HUP")
	if now := c.appPID(); (now == pid) != (starts == 1) {
		t.Errorf("the app is process %d, and was %d", now, pid)
	}
}

//go:build check

package daemons

import "testing"

// waiters have no handler for HUP: they block it and wait for it, so SigCgt of proc(5) doesn't show it, but SigBlk does.
var waiters = []daemon{keepalived, named, tini}

// They are reloaded like daemons with a handler: the same process serves the new configuration.
func TestWaiter(t *testing.T) {
	for _, action := range []string{"auto", "signal:HUP"} {
		for _, d := range waiters {
			t.Run(action+"/"+d.name, func(t *testing.T) {
				t.Parallel()
				d := d.toldBy(0) // none that it could be seen to catch
				d.lines = "reload " + action + "\n"
				s, c := up(t, d)
				pid := c.appPID()
				for n := 2; n < 4; n++ {
					s.swap(s.good(n))
					c.serves(name(n))
					c.accepts(n)
				}
				c.wantLogged(2, reloaded, "signal=HUP")
				c.wantLogged(1, `msg="app started"`)
				if now := c.appPID(); now != pid {
					t.Errorf("the app is process %d, and was %d", now, pid)
				}
			})
		}
	}
}

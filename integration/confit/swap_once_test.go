package confit

import (
	"fmt"
	"testing"
)

// A swap of a volume is several events, of which the last come when the first has already led to a look. It is one look all the same,
// also where several volumes are swapped, and no swap is missed that comes while one runs.
func TestSwap_one_look(t *testing.T) {
	t.Parallel()
	const swaps = 12
	for _, volumes := range [][]string{{"web"}, {"web", "tls"}} {
		t.Run(fmt.Sprint(len(volumes)), func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			s.line("reload signal:HUP")
			s.flag("--log-level", "debug")
			mounted := map[string]*volume{}
			for _, name := range volumes {
				mounted[name] = s.volume(name)
				s.line("link %s/a %s", name, s.target(name))
				mounted[name].swap(keys{"a": name + " 0"})
			}
			c := s.start(app("-print", s.target("web"))...)
			c.Says("ready", 1)
			c.logs("generation accepted", 1)
			for n := 1; n <= swaps; n++ {
				name := volumes[n%len(volumes)]
				mounted[name].swap(keys{"a": fmt.Sprint(name, " ", n)})
				c.logs("generation accepted", n+1)
			}
			c.wantLogged("volumes looked at", swaps+1)
		})
	}
}

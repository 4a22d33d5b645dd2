package confit

import (
	"fmt"
	"testing"
)

// The wait is drawn from so long a time that no test sees its end. The first start isn't delayed.
func TestSplay_waits(t *testing.T) {
	t.Parallel()
	s, web := newProved(t)
	s.flag("--splay", "100000h")
	web.swap(keys{"text": "first"})
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	c.accepts(1)
	web.swap(keys{"text": "second"})
	c.tells(0, "a swap that waits", func(st report) bool { return st.Phase == "splaying" && st.PendingSince != nil })
	web.swap(keys{"text": "third"})
	s.wantFiles(keys{"text": "first"})
	c.wantLogged("generation published", 1)
	c.wantCount("reloads", len(c.Texts("stdout", "signal HUP")), 0)
	c.stops(0)
}

// A change that asks nothing of the app doesn't wait: that would spare nothing.
func TestSplay_nothing_asked(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/text %s reload=none", s.target("text"))
	s.flag("--splay", "100000h")
	web := s.volume("web")
	web.swap(keys{"text": "first"})
	c := s.start(app()...)
	c.Says("ready", 1)
	web.swap(keys{"text": "second"})
	c.accepts(2)
	s.wantFiles(keys{"text": "second"})
}

// Swaps that come in meanwhile don't wait anew, and only the newest is reloaded.
func TestSplay_newest(t *testing.T) {
	t.Parallel()
	const swaps = 30
	s, web := newProved(t)
	s.flag("--splay", "1s")
	web.swap(keys{"text": "first"})
	c := s.start(s.printer()...)
	c.Says("ready", 1)
	for n := range swaps {
		web.swap(keys{"text": fmt.Sprintf("swap %d", n+1)})
	}
	c.Says(fmt.Sprintf("read swap %d", swaps), 1)
	if reloads := len(c.Texts("stdout", "signal HUP")); reloads == swaps {
		t.Error("each swap was a reload, although they came in while others waited")
	}
	c.wantLogged("app started", 1)
}

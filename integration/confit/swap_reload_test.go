package confit

import (
	"slices"
	"strings"
	"testing"
)

func TestReload_signal(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "signal:USR1")
	c := s.start(app("-reload", "USR1", "-print", s.target("a"))...)
	c.Says("ready", 1)
	web.swap(keys{"a": "second"})
	c.Says("read second", 1)
	c.wantCount("signals", len(c.Texts("stdout", "signal ")), 1)
	if reload := c.logs("app reloaded", 1); reload["signal"] != "USR1" || reload["generation"] != "2" {
		t.Errorf("logged %v, want signal USR1 and generation 2", reload)
	}
}

// A signal that would end the app isn't sent.
func TestReload_signal_without_handler(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "signal:USR1")
	c := s.start(app("-unset", "USR1", "-print", s.target("a"))...)
	c.Says("ready", 1)
	web.swap(keys{"a": "second"})
	c.Says("ready", 2)
	c.Says("read second", 1)
	c.wantCount("stop signal", len(c.Texts("stdout", "signal TERM")), 1)
	c.logs("app restarting", 1)
}

func TestReload_exec(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, `exec:sh -c 'echo "hook: $CONFIT_CHANGED $CONFIT_GENERATION $(cat $CONFIT_CANDIDATE/web/a)"'`)
	c := s.start(app()...)
	c.Says("ready", 1)
	web.swap(keys{"a": "second"})
	c.logs("app reloaded", 1)
	if hooks := c.Texts("stderr", "hook: "); len(hooks) != 1 || hooks[0] != "hook: web/a 2 second" {
		t.Errorf("hooks said %q", hooks)
	}
	c.wantCount("signals", len(c.Texts("stdout", "signal ")), 0)
}

// A hook that fails or hangs is a failed reload. The app runs on, and later swaps reload it.
func TestReload_exec_fails(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"code":  `exit 5`,
		"hangs": `sleep 7654321 & sleep 7654321`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newReload(t, `exec:sh -c 'if grep -q bad $CONFIT_CANDIDATE/web/a; then `+script+`; fi; echo hook: $(cat $CONFIT_CANDIDATE/web/a)'`)
			s.flag("--hook-timeout", "3s")
			c := s.start(app()...)
			c.Says("ready", 1)
			web.swap(keys{"a": "bad"})
			if e := c.logs("candidate rejected", 1); e["reason"] == "" || e["step"] != "reload" {
				t.Errorf("the log doesn't tell why: %v", e)
			}
			c.gone("sleep 7654321")
			c.logs("app reloaded", 1) // on what is in force again
			web.swap(keys{"a": "second"})
			c.logs("app reloaded", 2)
			if hooks := c.Texts("stderr", "hook: "); !slices.Equal(hooks, []string{"hook: first", "hook: second"}) {
				t.Errorf("hooks said %q", hooks)
			}
			c.wantLogged("app started", 1)
			c.wantLogged("app exited", 0)
		})
	}
}

func TestReload_restart(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "restart")
	s.flag("--stop-signal", "QUIT")
	c := s.start(app("-exit", "QUIT=0", "-print", s.target("a"))...)
	c.Says("ready", 1)
	for i, text := range []string{"second", "third"} {
		web.swap(keys{"a": text})
		c.Says("ready", i+2)
		c.Says("read "+text, 1)
		c.wantCount("stop signals", len(c.Texts("stdout", "signal QUIT")), i+1)
	}
	c.stops(0)
}

// A real nginx, killed and started again on the same port each time.
func TestReload_restart_nginx(t *testing.T) {
	t.Parallel()
	s := newNginx(t)
	web := s.volume("web")
	s.flag("--reload", "restart", "--stop-signal", "QUIT")
	web.swap(s.site("conf.d", page("a", "first")))
	c := s.start(s.nginx()...)
	c.serves("a", "first")
	for _, text := range []string{"second", "third"} {
		web.swap(s.site("conf.d", page("a", text)))
		c.serves("a", text)
	}
	c.wantLogged("app started", 3)
	c.wantLogged("app reloaded", 0)
}

// An app that doesn't stop in time is killed, and what it left in its process group ends with it.
func TestReload_restart_stubborn(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "restart")
	s.flag("--stop-timeout", "300ms")
	c := s.start("sh", "-c", `trap '' TERM; sh -c "trap : TERM; sleep 7654321; sleep 7654321" & echo ready $(cat `+s.target("a")+`); while :; do wait; done`)
	c.Says("ready first", 1)
	c.find("sleep 7654321")
	web.swap(keys{"a": "second"})
	c.Says("ready second", 1)
	c.logs("app started", 2)
	c.Eventually("one app only", func() bool { return len(c.running("trap '' TERM")) == 1 }) // a fork of it looks the same until it executes the helper
	c.Eventually("one helper of the new app only", func() bool { return len(c.running("trap : TERM; sleep")) == 2 })
}

// An app that fails when it is stopped for a restart is started again all the same.
func TestReload_restart_exit_code(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "restart")
	c := s.start(app("-exit", "TERM=9", "-print", s.target("a"))...)
	c.Says("ready", 1)
	web.swap(keys{"a": "second"})
	c.Says("ready", 2)
	c.Says("read second", 1)
	c.stops(9)
}

func TestReload_none(t *testing.T) {
	t.Parallel()
	s, web := newReload(t, "none")
	s.line("link web/b %s reload=signal:HUP", s.target("b"))
	web.swap(keys{"a": "first", "b": "b1"})
	c := s.start(app("-print", s.target("a"))...)
	c.Says("ready", 1)
	web.swap(keys{"a": "second", "b": "b1"})
	c.logs("generation published", 2)
	s.wantFiles(keys{"a": "second"})
	web.swap(keys{"a": "third", "b": "b1"})
	c.logs("generation published", 3)
	web.swap(keys{"a": "third", "b": "b2"})
	c.Says("read third", 1)
	c.wantCount("signals", len(c.Texts("stdout", "signal ")), 1)
}

// Each link may have a reload of its own. Of all that the changed keys ask for, only the strongest is done.
func TestReload_per_link(t *testing.T) {
	tests := []struct {
		changed string // keys, one letter each
		want    string // what happens
	}{
		{"s", "signal"}, {"e", "exec"}, {"r", "restart"}, {"d", "default"},
		{"ns", "signal"}, {"nd", "default"}, {"se", "exec"}, {"nse", "exec"}, {"de", "exec"}, {"er", "restart"}, {"nserd", "restart"},
	}
	for _, test := range tests {
		t.Run(test.changed, func(t *testing.T) {
			t.Parallel()
			s, web, k := newPerLink(t)
			c := s.start(app()...)
			c.Says("ready", 1)
			for name := range strings.SplitSeq(test.changed, "") {
				k[name] = "2"
			}
			web.swap(k)
			effects := c.effects()
			c.Eventually(test.want, func() bool { return effects[test.want]() == 1 })
			k["r"] = "3" // whatever else was on its way has come before this
			web.swap(k)
			restarts := 1
			if test.want == "restart" {
				restarts = 2
			}
			c.Eventually("a restart", func() bool { return effects["restart"]() == restarts })
			for name, count := range effects {
				want := map[string]int{"restart": restarts, test.want: 1}[name]
				if name == "restart" {
					want = restarts
				}
				c.wantCount(name, count(), want)
			}
		})
	}
}

// One app reads what has changed when it is reloaded; to the other HUP means something else. For the second one nothing is taken
// back, but the log and the status say so: after half a minute, as some apps finish their work first.
func TestRead(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		print string
		read  bool
	}{"opened": {"a", true}, "never": {"none", false}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newReload(t, "signal:HUP")
			c := s.start(app("-print", s.target(test.print))...)
			c.Says("ready", 1)
			c.tells(0, "nothing known at the start", func(st report) bool { return st.App.Read == nil && st.Phase == "running" })
			web.swap(keys{"a": "second"})
			c.Says("signal HUP", 1)
			c.tells(0, "whether it was read", func(st report) bool { return st.App.Read != nil && *st.App.Read == test.read })
			c.wantLogged("app has not opened what changed", map[bool]int{true: 0, false: 1}[test.read])
			c.wantLogged("candidate rejected", 0)
			c.wantLogged("app started", 1)
		})
	}
}

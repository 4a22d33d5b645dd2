package confit

import (
	"fmt"
	"os"
	"testing"
)

// Under `auto` an app that catches HUP is reloaded by it, and is the same process afterwards.
func TestAuto_handler(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.linkOne()
	c := s.start(app("-print", s.target("a"))...)
	c.Says("ready", 1)
	for i, text := range []string{"second", "third"} {
		web.swap(keys{"a": text})
		c.Says("read "+text, 1)
		if reload := c.logs("app reloaded", i+1); reload["signal"] != "HUP" {
			t.Errorf("reloaded by %q, want HUP", reload["signal"])
		}
	}
	c.wantLogged("app started", 1)
}

// HUP would kill an app that doesn't catch it, and one that ignores it would never know: both are restarted by the stop signal.
// confit waits for a handler first, so this takes about ten seconds.
func TestAuto_no_handler(t *testing.T) {
	t.Parallel()
	for name, flag := range map[string]string{"default_action": "-unset", "ignored": "-ignore"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			web := s.volume("web")
			s.line("link web/a %s", s.target("a"))
			s.line("stop-signal USR2")
			web.swap(keys{"a": "first"})
			c := s.start(app(flag, "HUP", "-exit", "USR2=0,TERM=7", "-print", s.target("a"))...)
			c.Says("ready", 1)
			web.swap(keys{"a": "second"})
			c.Says("ready", 2)
			c.Says("read second", 1)
			c.wantCount("HUP", len(c.Texts("stdout", "signal HUP")), 0)
			c.wantCount("stop signal", len(c.Texts("stdout", "signal USR2")), 1)
			if e := c.logs("app restarting", 1); e["reason"] == "" {
				t.Errorf("the log doesn't tell why the app was restarted: %v", e)
			}
			c.wantLogged("app started", 2)
		})
	}
}

// The Go runtime catches every signal, so the app looks as if it reloaded; but it dies. It is started again on the new
// configuration, and restarted from then on.
func TestAuto_dies_of_HUP(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	web := s.linkOne()
	c := s.start(app("-runtime", "HUP", "-print", s.target("a"))...)
	c.Says("ready", 1)
	web.swap(keys{"a": "second"})
	c.Says("ready", 2)
	c.Says("read second", 1)
	web.swap(keys{"a": "third"})
	c.Says("ready", 3)
	c.Says("read third", 1)
	c.wantLogged("app reloaded", 1)
	c.wantCount("stop signal", len(c.Texts("stdout", "signal TERM")), 1)
}

// An entrypoint script has no handler as long as it hasn't become the daemon. A swap in that time doesn't kill it, also where nobody waits
// for the daemon, and the new configuration is in force at the end.
func TestAuto_entrypoint_script(t *testing.T) {
	t.Parallel()
	tests := map[string]string{
		"sleeps_first":      `sleep 2; exec "$@"`,
		"reads_then_sleeps": `cat "$5" >/dev/null; sleep 2; exec "$@"`,
		// The script may only promise to pass HUP on when nginx can take it: nginx has its handlers before its pid file.
		"child_of_the_script": `sleep 2; "$@" & until [ -s run/nginx.pid ]; do sleep 0.01; done
			trap 'kill -HUP $!' HUP; trap 'kill $!; exit 0' TERM; while :; do wait; done`,
	}
	for name, script := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newNginx(t)
			s.flag("--entrypoint-timeout", "0")
			web := s.volume("web")
			web.swap(s.site("conf.d", page("a", "first")))
			c := s.start(append([]string{"sh", "-c", script, "entrypoint"}, s.nginx()...)...)
			started := c.logs("app started", 1)
			c.find("sleep 2")
			web.swap(s.site("conf.d", page("a", "second")))
			c.logs("generation published", 2)
			c.serves("a", "second")
			web.swap(s.site("conf.d", page("a", "third")))
			c.serves("a", "third")
			c.wantLogged("app started", 1)
			if p := c.find("nginx: master"); name != "child_of_the_script" && fmt.Sprint(p.Inner) != started["pid"] {
				t.Errorf("nginx is pid %d, but the app was started as %s", p.Inner, started["pid"])
			}
		})
	}
}

// The same with a Go daemon and many swaps. The Go runtime catches a HUP before the daemon does, and dies of it, unless HUP is
// ignored when the daemon starts. A script that doesn't want to die of a HUP ignores it, too.
func TestAuto_entrypoint_swaps_in_a_row(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.flag("--entrypoint-timeout", "0")
	web := s.volume("web")
	s.line("link web/a %s", s.target("a"))
	web.swap(keys{"a": "swap 0"})
	script := append([]string{"sh", "-c", `trap '' HUP; sleep 1; exec "$@"`, "entrypoint"}, app("-print", s.target("a"))...)
	c := s.start(script...)
	c.find("sleep 1")
	for i := range 20 {
		web.swap(keys{"a": fmt.Sprintf("swap %d", i+1)})
	}
	c.Says("ready", 1)
	c.Says("read swap 20", 1)
	c.wantLogged("app started", 1)
}

// Programs that Debian lacks, or that don't say that they got HUP, are known by their names. Others stand in for them.
func TestAuto_known_by_name(t *testing.T) {
	for name, reason := range map[string]string{
		"envoy": "HUP does nothing", "grafana": "HUP only reopens its logs", "grafana-server": "HUP only reopens its logs", "turnserver": "HUP only reopens its log",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			web := s.linkOne()
			program := s.path(name)
			if err := os.Link(programs.app, program); err != nil {
				t.Fatal(err)
			}
			c := s.start(append([]string{program}, app("-print", s.target("a"))[1:]...)...)
			c.Says("ready", 1)
			web.swap(keys{"a": "second"})
			c.Says("read second", 1)
			if e := c.logs("app restarting", 1); e["reason"] != reason {
				t.Errorf("restarted, as %q; want %q", e["reason"], reason)
			}
			c.wantCount("HUP", len(c.Texts("stdout", "signal HUP")), 0)
		})
	}
}

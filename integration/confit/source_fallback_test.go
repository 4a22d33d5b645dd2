package confit

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const (
	triesFallback = "trying the fallback: what is mounted can't be used"
	noFallback    = "a new container has nothing to fall back on"
)

// newFallback is a setup with a key of a ConfigMap, which the fallback may have, and one of a Secret, which it never has.
func newFallback(t *testing.T) (*setup, *volume) {
	t.Helper()
	s, web := newProved(t)
	s.line("link tls/token %s", s.target("token"))
	s.line("validate sh -c '! grep -q bad {candidate}/web/text'")
	s.line("fallback %s", s.path("fallback"))
	s.volume("tls").swap(keys{"token": "secret"})
	return s, web
}

// bake puts a key into the fallback, as an image does.
func (s *setup) bakeFallback(text string) { s.write(s.path("fallback", "web", "text"), text) }

// fallback mounts the ConfigMap there, as an optional volume that is missing.
func (s *setup) fallback(name string) *volume {
	s.t.Helper()
	v := newVolume(s.t, s.mkdir("fallback", name))
	v.swap(keys{})
	return v
}

// wantFallback checks that the app runs on the fallback, and that what is mounted stays rejected.
func (c *confit) wantFallback(step, text string) {
	c.t.Helper()
	if e := c.accepts(1); e["source"] != "fallback" {
		c.t.Errorf("logged %v, want that the fallback was accepted", e)
	}
	c.wantRejected(step, 1)
	c.setup.wantFiles(keys{"text": text, "token": "secret"})
	c.tells(3, "the fallback", func(st report) bool {
		return st.Rejection.Step == step && st.Rejection.Hash == st.Mounted.Hash && st.Live.Hash == st.Accepted.Hash &&
			st.Live.Source == "fallback" && st.Accepted.Source == "fallback"
	})
	if left := c.setup.leftovers(); len(left) > 0 {
		c.t.Errorf("left behind: %q", left)
	}
}

// wantFixed fixes what is mounted, and checks that it is followed.
func (c *confit) wantFixed(web *volume) {
	c.t.Helper()
	web.swap(keys{"text": "fixed"})
	c.Says("read fixed", 1)
	c.tells(0, "what is mounted", func(st report) bool {
		return st.Live.Hash == st.Mounted.Hash && st.Accepted.Hash == st.Live.Hash && st.Live.Source == "mounted" && st.Accepted.Source == "mounted"
	})
}

// Nothing was ever accepted, and what is mounted is bad: the app starts on the image's own default, with the Secret of the mount.
func TestFallback_starts_on_it(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		mounted keys
		step    string
	}{
		"validator":   {keys{"text": "bad"}, "validate"},
		"missing_key": {keys{"other": "x"}, "stage"},
		"app_dies":    {keys{"text": "die 3"}, "probation"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newFallback(t)
			s.flag("--probation", "3s")
			s.bakeFallback("default")
			web.swap(test.mounted)
			c := s.start(s.printer()...)
			c.Says("read default", 1)
			c.logs(triesFallback, 1)
			c.wantFallback(test.step, "default")
			c.wantFixed(web)
			c.wantLogged(triesFallback, 1)
			c.stops(0)
		})
	}
}

// An app that isn't well on what is mounted is started on the fallback. If it isn't well there, it stays on what is mounted.
func TestFallback_verify(t *testing.T) {
	t.Parallel()
	for name, baked := range map[string]string{"well": "default", "unwell": "sick too"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newFallback(t)
			s.line("verify sh -c '! grep -q sick %s'", s.target("text"))
			s.flag("--verify-timeout", "3s")
			s.bakeFallback(baked)
			web.swap(keys{"text": "sick"})
			c := s.start(s.printer()...)
			c.Says("read "+baked, 1)
			if name == "well" {
				c.wantFallback("verify", baked)
				c.wantFixed(web)
				return
			}
			c.logs("fallback rejected", 1)
			c.logs("generation not proved, and none was accepted before: it stays", 1)
			c.Says("read sick", 2)
			c.tells(3, "what is mounted", func(st report) bool { return st.Live.Hash == st.Mounted.Hash && st.Phase == "running" })
			s.wantFiles(keys{"text": "sick", "token": "secret"})
			if s.stored().Number != 0 {
				t.Errorf("stored: %v", s.stored())
			}
		})
	}
}

// If the fallback fails, too, or there is none, what is mounted decides.
func TestFallback_bad_itself(t *testing.T) {
	for name, test := range map[string]struct {
		mounted, fallback, hash string
		code                    int
		says                    string
	}{
		"validator":          {"bad", "bad default", "", 78, " ended with exit 1"},
		"app_dies":           {"die 3", "die 4", "", 3, "the app ended with exit 4"},
		"app_dies_validator": {"die 3", "bad default", "", 3, " ended with exit 1"},
		"validator_app_dies": {"bad", "die 4", "", 78, "the app ended with exit 4"},
		"malformed_hash":     {"bad", "default", "one", 78, ".confit-hash"},
		"same":               {"bad", "bad", "", 78, "it is what was rejected"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, web := newFallback(t)
			s.flag("--probation", "1h")
			k := keys{"text": test.fallback}
			if test.hash != "" {
				k[".confit-hash"] = test.hash
			}
			s.fallback("web").swap(k)
			web.swap(keys{"text": test.mounted})
			c := s.start(s.printer()...)
			c.Ends(test.code)
			if e := c.logs("fallback rejected", 1); !strings.Contains(e["reason"], test.says) {
				t.Errorf("logged %v, want %q", e, test.says)
			}
			if s.stored().Number != 0 || exists(s.target("text")) {
				t.Errorf("stored: %v, or a target is left", s.stored())
			}
		})
	}
}

// The fallback is an optional ConfigMap. The kubelet mounts one that is missing as an empty directory. It appears, and the next
// start of the container finds it.
func TestFallback_appears(t *testing.T) {
	t.Parallel()
	s, web := newFallback(t)
	fallback := s.fallback("web")
	web.swap(keys{"text": "bad"})
	c := s.start(s.printer()...)
	c.Ends(78)
	c.wantLogged(triesFallback, 0)
	lacks := fmt.Sprintf("the fallback directory has none of the volumes: %q", s.path("fallback"))
	if e := c.logs(noFallback, 1); e["error"] != lacks {
		t.Errorf("logged %v, want %s", e, lacks)
	}
	wantHolds(t, c.Text("stderr"), " ended with exit 1; "+lacks)
	fallback.swap(keys{"text": "fleet", ".confit-hash": "part whole\n"})
	c = s.start(s.printer()...)
	c.Says("read fleet", 1)
	c.wantFallback("validate", "fleet")
	c.wantLogged(noFallback, 0)
	if exists(s.path("state", "live", "web", ".confit-hash")) {
		t.Error("the hash is a key")
	}
	c.wantFixed(web)
}

// Two ConfigMaps hold what the fleet accepted, and one of them is older: they don't go together.
func TestFallback_disagrees(t *testing.T) {
	t.Parallel()
	s, web := newFallback(t)
	s.line("link app/text %s", s.target("app"))
	app := s.volume("app")
	web.swap(keys{"text": "bad"})
	app.swap(keys{"text": "1"})
	former := s.fallback("web")
	former.swap(keys{"text": "fleet", ".confit-hash": "w1 whole1"})
	s.fallback("app").swap(keys{"text": "fleet", ".confit-hash": "a2 whole2"})
	c := s.start(s.printer()...)
	c.Ends(78)
	if e := c.logs("fallback rejected", 1); !strings.Contains(e["reason"], s.path("fallback", "web")) || !strings.Contains(e["reason"], s.path("fallback", "app")) {
		t.Errorf("logged %v, want both volumes", e)
	}
	former.swap(keys{"text": "fleet", ".confit-hash": "w2 whole2"})
	c = s.start(s.printer()...)
	c.Says("read fleet", 1)
	c.wantFallback("validate", "fleet")
	s.wantFiles(keys{"app": "fleet"})
}

// confit is killed while the fallback is proved, and tries it again. Once it is accepted, a container that starts again is started
// on it, whatever became of the fallback itself.
func TestFallback_killed(t *testing.T) {
	t.Parallel()
	s, web := newFallback(t)
	s.bakeFallback("default")
	web.swap(keys{"text": "die 3"})
	flags := s.flags
	for range 3 { // more often than a generation may kill confit that has something else to start on
		s.flags = append([]string{"--probation", "1h"}, flags...)
		c := s.start(s.printer()...)
		c.Says("read default", 1)
		c.reports("the proof", func(st report) bool { return st.Phase == "proving" })
		c.Kill()
	}
	s.flags = append([]string{"--probation", "3s"}, flags...)
	c := s.start(s.printer()...)
	c.wantFallback("probation", "default")
	c.Kill()

	if err := os.RemoveAll(s.path("fallback")); err != nil {
		t.Fatal(err)
	}
	web.swap(keys{"text": "bad"})
	c = s.start(s.printer()...)
	c.Says("read default", 1)
	c.logs(startsOnStored, 1)
	c.tells(3, "the fallback", func(st report) bool { return st.Live.Source == "fallback" && st.Accepted.Proof == "stored" })
	web.swap(keys{"text": "default"})
	c.tells(0, "what is mounted", func(st report) bool {
		return st.Live.Hash == st.Mounted.Hash && st.Accepted.Hash == st.Live.Hash && st.Accepted.Source == "mounted"
	})
	c.wantLogged("app started", 1)
	c.stops(0)
	c = s.start(s.printer()...)
	c.tells(0, "what is mounted", func(st report) bool { return st.Accepted.Source == "mounted" })
	c.wantFixed(web)
}

// What a renderer makes of the fallback is a part of it, as is the environment.
func TestFallback_rendered(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("input web/tpl")
	s.line("link {rendered}/text %s", s.target("text"))
	s.line("link tls/token %s", s.target("token"))
	s.line("env web/level LEVEL")
	s.line("render sh -c '! grep bad {candidate}/web/tpl && cat {candidate}/web/tpl {candidate}/tls/token >{rendered}/text'")
	s.line("fallback %s", s.path("fallback"))
	s.line("reload signal:HUP")
	s.volume("tls").swap(keys{"token": "secret"})
	s.write(s.path("fallback", "web", "tpl"), "default and ")
	s.write(s.path("fallback", "web", "level"), "info")
	web := s.volume("web")
	web.swap(keys{"tpl": "bad", "level": "debug"})
	c := s.start(s.printer()...)
	c.Says("read default and secret", 1)
	c.wantFallback("render", "default and secret")
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", c.find(programs.app).PID))
	if err != nil || !strings.Contains(string(environ), "LEVEL=info") {
		t.Errorf("the app has %q (%v)", environ, err)
	}
}

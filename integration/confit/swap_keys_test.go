package confit

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

// wantChanged checks which keys a log line names.
func (c *confit) wantChanged(e entry, want ...string) {
	c.t.Helper()
	if got := strings.Fields(strings.Trim(e["changed"], "[]")); !slices.Equal(got, want) {
		c.t.Errorf("%s: changed %q, want %q", e["msg"], got, want)
	}
}

// Each line about a change names the keys, and never a value. What was published and is rejected afterwards is said to be withdrawn.
func TestKeys_logged(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/ %s/", s.target())
	s.line("input odd/")
	s.line("validate sh %s", s.target("check"))
	s.line("reload signal:HUP")
	web := s.volume("web")
	s.write(s.path("volumes", "odd", "key"), "")
	web.swap(keys{"check": "exit 0", "text": "first", "same": "same"})
	s.accept(app()...)
	s.flag("--probation", "1h")
	c := s.start(s.printer()...)
	c.Says("read first", 1)

	web.swap(keys{"check": "exit 1", "text": "hidden-value", "same": "same"})
	c.wantChanged(c.logs("generation published", 2), "web/check", "web/text")
	c.wantChanged(c.wantRejected("validate", 1), "web/check", "web/text")
	if e := c.logs("generation withdrawn", 1); e["generation"] != "2" || !strings.HasPrefix(e["live"], "generation 1, ") {
		t.Errorf("logged %v", e)
	}

	many := keys{"check": "exit 0", "text": "die 3", "same": "same"}
	for i := range 30 {
		many[fmt.Sprintf("many-%02d", i)] = "hidden-value"
	}
	web.swap(many)
	c.wantRolledBack(1, "1")
	s.write(s.path("volumes", "odd", "to-the-left\u202e"), "hidden-value")
	c.wantRolledBack(2, "1")
	c.logs("candidate rejected", 3) // a second later
	for _, message := range []string{"candidate rejected", "rolled back"} {
		found := c.entries(message)
		names := strings.Fields(strings.Trim(found[len(found)-1]["changed"], "[]"))
		if len(names) != 23 || names[0] != "odd/to-the-left\u202e" || strings.Join(names[18:], " ") != "web/many-17 web/many-18 and 12 more" {
			t.Errorf("%s: %q", message, names)
		}
	}
	c.wantLogged("generation withdrawn", 1)
	for _, text := range []string{"hidden-value", "\u202e"} {
		if c.Contains(text) {
			t.Errorf("%q was printed", text)
		}
	}
}

// sums are what sha256sum says of these texts; "" stands for a missing key.
func sums(texts keys) map[string]string {
	list := map[string]string{}
	for name, text := range texts {
		list["web/"+name] = ""
		if text != "" {
			list["web/"+name] = fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
		}
	}
	return list
}

// wantKeys waits for a status in which just these keys are accepted, and differ in what is mounted and in what was rejected.
func (c *confit) wantKeys(accepted, mounted, rejected keys) {
	c.t.Helper()
	c.reports("the keys that differ", func(r report) bool {
		return maps.Equal(r.Keys, sums(accepted)) && maps.Equal(r.Mounted.Keys, sums(mounted)) && maps.Equal(r.Rejection.Keys, sums(rejected))
	})
}

// The status has what differs from the accepted keys: of an edit that can't be staged, of one that is refused, and of that one still
// when something else is accepted.
func TestKeys_status(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	s.line("link web/text %s", s.target("text"))
	s.line("input web/")
	s.line("validate sh {candidate}/web/check")
	web := s.volume("web")
	good := keys{"check": "exit 0", "text": "first", "same": "same"}
	web.swap(good)
	c := s.start(s.printer()...)
	c.wantKeys(good, nil, nil)

	web.swap(keys{"check": "exit 1", "same": "same", "more": "more"})
	c.wantRejected("stage", 1)
	bad := keys{"check": "exit 1", "text": "", "more": "more"}
	c.wantKeys(good, bad, bad)

	web.swap(keys{"check": "exit 1", "text": "second", "same": "same"})
	c.wantRejected("validate", 2)
	bad = keys{"check": "exit 1", "text": "second"}
	c.wantKeys(good, bad, bad)

	better := keys{"check": "exit 0", "text": "second", "other": "other"}
	web.swap(better)
	c.wantKeys(better, nil, keys{"check": "exit 1", "same": "same", "other": ""})

	shown, _ := s.runPlain(0, programs.confit, "--status=text", "--state", s.state)
	if strings.Contains(shown, "changed") {
		t.Errorf("nothing differs:\n%s", shown)
	}
	web.swap(keys{"check": "exit 1", "text": "third"})
	c.wantRejected("validate", 3)
	c.reports("a rejection", report.refused)
	shown, _ = s.runPlain(3, programs.confit, "--status=text", "--state", s.state)
	if !strings.Contains(shown, "\nchanged    web/check, web/other (missing), web/text\n") {
		t.Errorf("it doesn't name the keys:\n%s", shown)
	}
}

// Whoever goes down finds the keys of the lower rung to be those that are accepted.
func TestKeys_status_further_down(t *testing.T) {
	t.Parallel()
	l := newLadder(t, "signal:HUP", "1s")
	l.lines = l.lines[:2]
	c := l.begins("first")
	l.edits(c, "never")
	c.stops(0)
	l.soaksFor("4s")
	l.fails(3)
	c = l.runs()
	c.wantDown("first")
	c.wantKeys(keys{"text": "first"}, keys{"text": "never"}, keys{"text": "never"})
}

// Who knows what a volume holds learns from the status which keys of it are taken, and where each stands: so those that the status
// has are just these, before a swap and after it.
func TestKeys_taken(t *testing.T) {
	t.Parallel()
	s := newSetup(t)
	outside := newVolume(t, s.mkdir("mounts", "conf"))
	s.line("link web/nginx.conf %s", s.target("nginx.conf"))
	s.line("link web/conf.d/*.conf %s/", s.target("conf.d"))
	s.line("input %s/", outside.dir)
	s.line("reload signal:HUP")
	s.flag("--probation", "0")
	web := s.volume("web")
	web.swap(keys{"nginx.conf": "1", "conf.d/a.conf": "1", "conf.d/a.md": "not taken", "other": "not taken"})
	outside.swap(keys{"x": "1", "sub/y": "1"})
	c := s.start(app()...)
	c.Says("ready", 1) // HUP would end it before
	c.wantTaken(web, "web", "conf.d/*.conf nginx.conf", "nginx.conf", "conf.d/a.conf")
	c.wantTaken(outside, strings.TrimPrefix(outside.dir, "/"), "./", "x", "sub/y")
	web.swap(keys{"nginx.conf": "1", "conf.d/b.conf": "2", "conf.d/b.md": "not taken", "another": "not taken"})
	c.wantTaken(web, "web", "conf.d/*.conf nginx.conf", "nginx.conf", "conf.d/b.conf")
}

// wantTaken waits until the accepted keys of a volume are these, and checks what the status says of the volume.
func (c *confit) wantTaken(v *volume, prefix, patterns string, taken ...string) {
	c.t.Helper()
	slices.Sort(taken)
	r := c.reports(fmt.Sprintf("%q of %s", taken, prefix), func(r report) bool {
		var below []string
		for key := range r.Keys {
			if name, ok := strings.CutPrefix(key, prefix+"/"); ok {
				below = append(below, name)
			}
		}
		slices.Sort(below)
		return r.quiet() && slices.Equal(below, taken)
	})
	i := slices.IndexFunc(r.Volumes, func(told toldVolume) bool { return told.Path == v.dir })
	if i < 0 || r.Volumes[i].Prefix != prefix || strings.Join(r.Volumes[i].Patterns, " ") != patterns {
		c.t.Errorf("of %s the status says %+v, want prefix %q, patterns %q", v.dir, r.Volumes, prefix, patterns)
	}
}

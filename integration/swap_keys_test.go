package integration

import (
	"fmt"
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

//go:build check

package examples

import (
	"strings"
	"testing"
)

// A variable that is edited is filled in by a reload, and nginx's own variables stay as they are. One that makes a bad file is taken back.
func TestTemplates_variable(t *testing.T) {
	t.Parallel()
	e := exampleNamed(t, "nginx-templates")
	c := e.start(t)
	c.serves(e, "good morning, 127.0.0.1: ")
	c.edit("GREETING", "good morning", "good evening")
	c.serves(e, "good evening, 127.0.0.1: ")
	c.logs(1, reloaded)
	c.logs(2, `msg="generation accepted"`)
	c.edit("GREETING", "good evening", `";`)
	c.logs(1, `msg="candidate rejected"`, "step=validate")
	c.serves(e, "good evening, 127.0.0.1: ")
	if started := c.Lines(`msg="app started"`); len(started) != 1 {
		t.Errorf("nginx was started more than once: %s", strings.Join(started, "\n"))
	}
}

//go:build check

package confit

import (
	"strings"
	"syscall"
	"testing"
)

// A stop that the app ignores, as mysqld_safe does, is sent after ten seconds all the same, and a line says that nothing comes of it.
func TestLanded_dropped(t *testing.T) {
	t.Parallel()
	s := newExit(t)
	c := s.start(shellForLife("dash", "trap '' TERM")...)
	c.Says("begun", 1)
	c.Signal(syscall.SIGTERM)
	e := c.logs("app drops the stop signal", 1)
	if e["level"] != "WARN" || e["signal"] != "TERM" || !strings.Contains(e["todo"], "--signal-group") {
		t.Errorf("logged %v", e)
	}
	c.Kill()
	c.wantLogged("app exited", 0)
}

package confit

import (
	"syscall"
	"testing"

	"confit/integration/internal/harness"
)

// `docker run -it`: ^C goes to the group that has the terminal, and so to the script and what it runs. confit doesn't hold it.
func TestEntryStop_typed(t *testing.T) {
	t.Parallel()
	for _, shell := range []string{"/bin/bash", "/bin/dash"} {
		t.Run(shell, func(t *testing.T) {
			t.Parallel()
			s := newStepped(t)
			k := s.onTerminal()
			c := s.start(s.script(shell, "", "exec "+s.app()))
			k.shows("step 0")
			harness.Eventually(t, "the end", func() bool { // bash goes on after a ^C where what it waits for ends at that moment
				_ = k.Type(harness.CtrlC)
				return !c.Alive()
			})
			c.Ends(130)
			k.lacks("waits for the app's entrypoint")
			k.lacks("candidate rejected")
		})
	}
}

// The same with a TERM from outside at the terminal: that is held, and a ^C after it is the script's at once.
func TestEntryStop_typed_after_a_stop(t *testing.T) {
	t.Parallel()
	s := newStepped(t)
	k := s.onTerminal()
	c := s.start(s.script("/bin/bash", "", "exec "+s.app()))
	k.shows("step 0")
	c.Signal(syscall.SIGTERM)
	k.shows("stop waits for the app's entrypoint")
	k.types(harness.CtrlC)
	c.Ends(130)
	k.lacks("candidate rejected")
}

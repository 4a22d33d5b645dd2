package supervisor

import "confit/process"

// What follows where nothing is accepted, and what is mounted fails.

// looksAt: the fallback is staged once a container, unless it was replaced before it was tried; only when nothing is
// accepted, and when no app runs.
func (c *course) looksAt(j stage) {
	c.failed = nil
	if !j.fallback {
		return
	}
	switch {
	case c.app != 0:
		c.breaks("the fallback is staged while an app runs")
	case c.state.accepted().Number != 0:
		c.breaks("the fallback is staged, and something is accepted")
	case c.fellBack:
		c.breaks("the fallback is staged twice")
	}
	c.fellBack, c.failed = true, c.state.failed
}

// endsAsItFailed: if the fallback fails as well, the app is started on what is mounted where it can bear that, and else
// what failed first decides how confit ends.
func (c *course) endsAsItFailed() {
	s := &c.state
	switch {
	case s.shown() != done || c.failed == nil || c.stopped || c.asked || c.isPlain() || s.accepted().Number != 0:
	case s.exit.Code == process.ExitSystem && c.may.failedStarts > 1: // the system refused the first start
	case c.failed.Bearable:
		c.breaks("confit ends, and the app could be started on what is mounted")
	case s.exit.Code != c.failed.End.Code:
		c.breaks("confit ends, and not as what failed first decides")
	}
}

// isSame reports that what is published comes from the fallback, and is just what was rejected.
func (c *course) isSame() bool {
	return c.staged.fallback && c.state.rejected.IsOf(c.staged.holds.inputs())
}

package supervisor

import "confit/supervisor/goal"

// hasItsGoal: after a stop there is nothing that the app shall have. Where confit waits for the next edit the app has what it shall have, as
// far as that depends on no candidate: the accepted generation, or, where that is lost, what it has.
func (c *course) hasItsGoal() {
	t := &transition{state: c.state, config: c.config, now: c.now}
	g := t.goal(goal.Refused)
	switch {
	case c.stopped:
		if g != goal.Nothing && c.state.phase != done {
			c.breaks("after a stop there is a goal")
		}
	case c.isPlain():
		if g != goal.AsIs && c.state.app.Runs() {
			c.breaks("without a linker something is to be put in force")
		}
	case c.pending() != nil || c.state.phase != running || !c.state.app.Runs():
	case g == goal.Accepted:
		if c.live.holds != c.accepted() {
			c.breaks("confit rests, and the goal is " + c.accepted().String())
		}
	case g != goal.AsIs || c.accepted() != missing:
		c.breaks("confit rests, and has not reached the goal")
	}
}

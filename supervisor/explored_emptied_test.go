package supervisor

import "confit/supervisor/app"

// missedSomething: nobody is blamed for an end of the app while something was missing, and it is started again, as long as it isn't so each
// time. An end is judged once it is known, or nobody can know.
func (c *course) missedSomething(before, after *state, e event) {
	r, isRepaired := e.(repaired)
	isJudged := before.phase == comparing && after.phase != comparing
	switch {
	case after.phase == comparing && c.app != 0:
		c.breaks("it is compared what an app has missed that runs")
	case !isJudged:
	case isRepaired && r.awaited && r.anew && before.again < maxAgain:
		isDrained := after.app.Phase == app.Draining && after.app.Then == app.StartAgain
		if waitsForHook := after.hook && after.expired; !isDrained && !waitsForHook {
			c.breaks("the app has missed something, and isn't started again")
		}
		if after.rejected != before.rejected || after.ladder.Ladder != before.ladder.Ladder || after.held != before.held {
			c.breaks("somebody is blamed for what was missing")
		}
	case after.again > maxAgain:
		c.breaks("an app is started again for ever")
	}
}

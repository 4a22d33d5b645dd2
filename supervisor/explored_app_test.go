package supervisor

import (
	"cmp"
	"errors"
	"slices"

	"confit/linker"
	"confit/notify"
	"confit/process"
	"confit/signals"
	"confit/supervisor/app"
)

// What the app does, and the hooks.

// reach finds out at a look whether the app can be signalled now, if that has changed.
func (c *course) reach() event {
	switch {
	case !c.may.beyond || !c.state.app.Runs() || c.choose(2) == 0:
		return nil
	case c.state.app.SignalErr == "":
		return denied{errBeyond}
	}
	return denied{}
}

func (c *course) spawn() event {
	c.mayStartApp()
	if n := c.choose(c.may.failedStarts + 1); n > 0 {
		return startFailed{errors.New("cannot start"), []int{127, process.ExitSystem}[n-1]}
	}
	c.pids++
	c.app, c.zombie, c.leftover = c.pids, false, false
	c.start = c.live.holds
	c.startsSoak()
	c.appReads()
	c.works = c.config.EntrypointTimeout > 0 && c.choose(2) == 0
	if !c.works {
		c.beginsElse()
	}
	return started{c.app}
}

// probe finds out what the app would do with the signal. A zombie has its handlers until it is reaped.
func (c *course) probe() event {
	d := c.may.found[c.choose(len(c.may.found))]
	return probed{app.Finding{Disposition: d, Runs: "app", Program: "app"}}
}

func (c *course) deliver(a app.Reload) event {
	c.isAlive(a.PID)
	c.endsNoWork()
	c.notAfterStop("reloads the app")
	if c.may.beyond && c.choose(2) == 1 {
		return denied{errBeyond}
	}
	if !c.zombie {
		c.appReads()
	}
	return sent{}
}

// sight is what a look at the app finds.
func (c *course) sight() app.Sight {
	if c.works {
		return app.Sight{Program: "script", Works: true, Script: app.Script{1}}
	}
	return app.Sight{Program: "app"}
}

// begins is seen of an app that executes its daemon, or is no script.
func (c *course) begins() {
	if c.works {
		c.works = false
		c.beginsElse()
		c.startsSoak()
		if c.readAt != noDeadline {
			c.readAt = c.now
		}
	}
	c.giveAll([]event{looked{c.sight()}, began{c.now}})
}

// saysReady is the READY=1 of the app itself, which has begun then.
func (c *course) saysReady() {
	c.works = false
	c.give(heard{notify.Message{State: notify.Ready}, true})
}

// beginsElse notes that the app has begun on something else than what it ended on at its entrypoint.
func (c *course) beginsElse() {
	if c.endedOn != missing && c.start != c.endedOn {
		c.begunElse = true
	}
}

// endsAtWork notes that the app, or confit with it, ends at the app's entrypoint. On what is accepted that is a death.
func (c *course) endsAtWork() {
	if c.works && c.start != c.endedOn && c.start != c.accepted() {
		c.endedOn, c.begunElse = c.start, false
	}
}

// rejectsSecondEnd: an end at the entrypoint, or a kill there, rejects nothing until the app has begun on something else.
func (c *course) rejectsSecondEnd(before, after *state) {
	if before.app.IsAtEntrypoint() && after.app.Runs() && !after.app.IsAtEntrypoint() { // also as its time is over
		c.beginsElse()
	}
	r := after.held
	if after.count.Rejections != before.count.Rejections {
		r = after.told
	}
	if r != nil && r.Step == linker.StepEntry && before.held == nil && (r.Hash != c.endedOn.hash().Hex() || !c.begunElse) {
		c.breaks("an end at the entrypoint rejects an edit, and the app has not begun on anything else")
	}
}

// endsNoWork: no edit and no roll back ends what an entrypoint works at before its time. A stop may, and so may the loss of what the app
// was started on: its script reads another edition by then.
func (c *course) endsNoWork() {
	if c.works && !c.stopped && !c.startIsLost() && c.now.Before(c.state.app.WorksUntil()) {
		c.breaks("the work of an entrypoint is ended")
	}
}

// startIsLost reports that what the app was started on could not be gone back to.
func (c *course) startIsLost() bool {
	isStart := func(r linker.Rung) bool { return letterOf(r.Hash) == c.start }
	return c.may.loses && letterOf(c.state.candidate.Hash) != c.start && !slices.ContainsFunc(c.state.ladder.Rungs[:], isStart)
}

// cutsNoWork: what comes from outside waits for the work of an entrypoint. Only a stop may end that, by TERM.
func (c *course) cutsNoWork(s signals.Signal) {
	if c.works && !c.startIsLost() && c.state.app.IsAtEntrypoint() && (!c.stopped || s != signals.TERM) {
		c.breaks(signals.Name(s) + " ends the work of an entrypoint")
	}
}

// exit is the app's end. A successor may take its place.
func (c *course) exit(status process.Status) {
	e := exited{app.Exit{Status: cmp.Or(c.cause, status)}}
	c.asked = c.state.app.IsStop(&e.Exit, c.now)
	if c.may.leftovers {
		c.leftover = c.choose(2) == 1
	}
	c.endsAtWork()
	wasDead := c.zombie
	c.app, c.zombie, c.cause = 0, false, 0
	if c.config.Adopt && !c.leftover && c.choose(2) == 1 {
		c.pids++
		e.Successor = app.Successor{PID: c.pids, Group: process.Group(c.pids)}
		if c.app = c.pids; wasDead { // it begins where a reload may have met the dead one
			c.appReads()
		}
	}
	c.give(e)
	if c.state.app.PID != c.app { // it ended as a leftover
		c.app = 0
	}
}

func (c *course) stopApp(s signals.Signal) {
	c.hurried = true
	c.stopped = c.stopped || s == signals.TERM
	c.give(signalled{s})
}

func (c *course) runHook(a runHook) event {
	if c.hook != "" && !c.givenUp { // one that was killed and given up may take its time
		c.breaks("a second hook runs beside " + c.hook)
	}
	c.notAfterStop("runs a hook")
	if c.may.hooksMissing && c.choose(2) == 1 {
		return hookStartFailed{err: errors.New("not found")}
	}
	if ofCandidate := a.name == "render" || a.name == "validate" || a.name == "gate"; ofCandidate && c.may.empties && c.choose(2) == 1 {
		return hookStartFailed{linker.ErrEmptied, true}
	}
	c.hook, c.hookAbout, c.hookKilled, c.givenUp = a.name, letter(a.candidate.Hash[0]), false, false
	c.hookLate = !c.now.Before(c.readAt.Add(c.config.Probation))
	if a.name == "gate" && len(c.config.Report) > 0 {
		c.gateHasQuestion(a.candidate.Shared.Hex())
	}
	return nil
}

// endHook is the end of the hook that runs.
func (c *course) endHook() {
	name, about := c.hook, c.hookAbout
	ok := !c.hookKilled && c.choose(2) == 0
	c.hook, c.hookKilled, c.givenUp, c.hookAbout, c.hookLate = "", false, false, missing, c.hookLate && name == "verify"
	switch {
	case name == "reload" && c.app != 0 && !c.zombie && (ok || c.choose(2) == 0):
		c.appReads()
	case name == "render":
		c.rendered = ok
	case name == "validate":
		c.valid[about] = ok
	case name == "gate" && ok:
		c.passed, c.relapsed = about, ""
	case name == "verify":
		c.verified = ok && c.hookLate
		c.hurried = c.hurried || ok && c.read != c.accepted() // else the proof goes on
	}
	c.hookLate = false
	status := process.Status(0)
	if !ok {
		status = waitStatus(256)
	}
	c.give(hookEnded{Status: status, Tail: "last words"})
}

func (c *course) runReport(a runReport) event {
	if c.told != nil {
		c.breaks("a second report hook runs")
	}
	if c.may.hooksMissing && c.choose(2) == 1 {
		return reportEnded{err: errors.New("not found")}
	}
	c.told, c.tellKilled = a.report, false
	c.mayBeTold(a.report, a.inForce)
	return nil
}

// endReport is the end of the report hook.
func (c *course) endReport() {
	ok := !c.tellKilled && c.choose(2) == 0
	told := c.told
	c.told, c.tellKilled = nil, false
	status := process.Status(0)
	if !ok {
		status = waitStatus(256)
	} else {
		c.isTold(told)
	}
	c.give(reportEnded{status: status})
}

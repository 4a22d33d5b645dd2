package supervisor

import (
	"confit/linker"
	"confit/notify"
	"confit/process"
	"confit/signals"
	"confit/supervisor/app"
)

// move is something that may happen outside.
type move struct {
	name string
	can  func(c *course) bool
	do   func(c *course)
}

// moves lists all that may happen. A way is hurried that confit may not rely on: an
// edit, a hint, a signal or a kill, and the end of an app that has read nothing new.
var moves = []move{
	{"the linker answers", func(c *course) bool { return c.pending() != nil }, (*course).linkerAnswers},
	{"the hook ends", func(c *course) bool { return c.hook != "" }, (*course).endHook},
	{"the report hook ends", func(c *course) bool { return c.told != nil }, (*course).endReport},
	{"the timer goes off", (*course).mayElapse, (*course).elapse},
	{"the app dies", func(c *course) bool { return c.app != 0 && !c.zombie }, (*course).appDies},
	{"the app is reaped", func(c *course) bool { return c.zombie }, func(c *course) { c.exit(0) }},
	{"the app begins", func(c *course) bool { return c.app != 0 && !c.zombie && c.state.app.IsAtEntrypoint() }, (*course).begins},
	{"a leftover ends", func(c *course) bool { return c.leftover }, func(c *course) {
		c.leftover = false
		c.give(reaped{1})
	}},
	{"somebody opens what changed", func(c *course) bool { return c.watching && c.app != 0 && !c.zombie }, func(c *course) {
		if c.state.exposure == read && (c.read != c.live.holds || c.state.phase == reading) { // else it is a hook, or the app once more
			c.appReads()
		}
		c.give(opened{})
	}},
	{"a hint comes", func(*course) bool { return true }, func(c *course) {
		c.hurried = true
		c.give(hinted{})
	}},
	{"the state directory is emptied", func(c *course) bool { return c.may.empties }, func(c *course) {
		c.hurried = true
		c.give(emptied{})
	}},
	{"somebody edits", func(*course) bool { return true }, (*course).edit},
	{"TERM comes", func(c *course) bool { return !c.stopped }, func(c *course) { c.stopApp(signals.TERM) }},
	{"QUIT comes", func(c *course) bool { return c.may.quits && len(c.state.app.Queued) == 0 && !c.stopped }, func(c *course) { c.stopApp(signals.QUIT) }},
	{"confit is killed", func(c *course) bool { return c.may.kills }, (*course).kill},
	{"the app says READY=1", func(c *course) bool { return c.may.speaks && c.app != 0 }, (*course).saysReady},
	{"the app says RELOADING=1", func(c *course) bool { return c.may.speaks && c.app != 0 }, func(c *course) {
		c.give(heard{notify.Message{State: notify.Reloading}, true})
	}},
}

func (c *course) linkerAnswers() {
	if e := c.carryOut(); e != nil {
		_, c.hurried = e.(crashed)
		c.give(e)
	}
	for c.broken == "" && !c.may.late && c.isUnanswered() { // nobody sees when
		if e := c.carryOut(); e != nil {
			c.give(e)
		}
	}
}

// appDies ends it by itself. How it ends makes a difference when confit has sent it
// HUP, or somebody QUIT.
func (c *course) appDies() {
	causes := []process.Status{waitStatus(256)}
	if c.state.app.AutoHUP || c.may.quits {
		causes = append(causes, 0, waitStatus(int(signals.HUP)))
	}
	c.hurried = !c.stopped && c.state.shown() != phase(app.Restarting) && c.read == c.accepted() // nobody is to blame
	status := causes[c.choose(len(causes))]
	if c.may.zombies {
		c.zombie, c.cause = true, status
		return
	}
	c.exit(status)
}

// edit mounts something else.
func (c *course) edit() {
	c.hurried = true
	var others []letter
	for _, l := range []letter{letterA, letterB, spoilt} {
		if l != c.mounted && (l != spoilt || c.may.breaks) {
			others = append(others, l)
		}
	}
	c.mounted = others[c.choose(len(others))]
	c.tell("mounted is %v", c.mounted)
}

// kill ends confit at any moment: between two events, or when the linker has done its
// job and confit doesn't know yet. Actions that aren't the linker's leave nothing on
// the disk, so these are all moments that make a difference. What is staged anew
// begins there.
func (c *course) kill() {
	c.hurried = true
	c.endsAtWork()
	for c.pending() != nil && c.choose(2) == 1 {
		c.carryOut()
	}
	if c.die(); c.trial != (linker.Trial{}) && c.choose(2) == 1 {
		c.tell("the node was started anew, too")
		c.trial = linker.Trial{} // it is of another boot
	}
	c.begin()
}

func (c *course) begin() {
	c.readOutcomes()
	former := c.findsFormer()
	former.Late.Wait = cutWait(former.Late.Wait)
	s, actions := begin(c.config, former, c.may.fallback, c.now)
	c.tell("confit begins")
	c.giveAll(c.become(*s, actions))
}

package supervisor

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"confit/config"
	"confit/supervisor/app"
	"confit/supervisor/verdict"
)

// course is one way on from a place. Where several things may happen it chooses one.
// The explorer takes it again and again, until every choice was made.
type course struct {
	place
	config  *config.Config
	may     *setting
	choices []byte // made so far, and those to be made
	among   []byte // of how many
	taken   int
	given   []job      // for the linker, of the event that is given
	hurried bool       // somebody interfered, or what may be bad was lucky
	broken  string     // the invariant that doesn't hold
	log     []string   // nil: nobody reads it
	did     []string   // the kinds of actions; nil: nobody asks
	dice    *rand.Rand // chooses; nil: the first of all
}

// choose returns one of n numbers, and in the end each of them. Under dice it is any.
func (c *course) choose(n int) int {
	if c.taken == len(c.choices) {
		one := 0
		if c.dice != nil {
			one = c.dice.IntN(n)
		}
		c.choices, c.among = append(c.choices, byte(one)), append(c.among, byte(n))
	}
	c.taken++
	return int(c.choices[c.taken-1])
}

// another goes over to the choices that come next, and reports whether there are any.
func (c *course) another() bool {
	for n := len(c.choices); n > 0; n-- {
		if last := &c.choices[n-1]; *last+1 < c.among[n-1] {
			*last++
			c.choices, c.among = c.choices[:n], c.among[:n]
			return true
		}
	}
	return false
}

func (c *course) breaks(invariant string) {
	if c.broken == "" {
		c.broken = invariant
	}
}

func (c *course) tell(format string, args ...any) {
	if c.log != nil {
		c.log = append(c.log, fmt.Sprintf(format, args...))
	}
}

// recounted is an event or an action as a path tells it.
type recounted struct{ of any }

func (t recounted) String() string {
	if s, ok := t.of.(say); ok {
		return "says: " + s.message
	}
	if a, ok := t.of.(action); ok {
		t.of = unwrapped(a)
	}
	return strings.TrimPrefix(fmt.Sprintf("%T%+v", t.of, t.of), "supervisor.")
}

// give hands step an event and all the events that follow from it at once, as the
// loop does.
func (c *course) give(first event) {
	c.giveAll([]event{first})
}

func (c *course) giveAll(next []event) {
	for ; len(next) > 0 && c.broken == ""; next = next[1:] {
		before, e := c.state, next[0]
		s, actions := step(c.config, &before, c.now, e)
		c.tell("%v: %s", before.shown(), recounted{e})
		c.deadlinesAreAhead(s)
		c.blames(&before, s)
		c.missedSomething(&before, s, e)
		c.rejectsSecondEnd(&before, s)
		c.state.known = s.known
		c.goesDownInTime(&before, s)
		if undone := before.before; undone == nil || s.ladder.Ladder != *undone { // by a stop
			c.mayBeAccepted(before.ladder.Ladder, s.ladder.Ladder)
		}
		next = append(next, c.become(*s, actions)...)
	}
	c.cutWaits()
	c.linkerAgrees()
	c.hasItsGoal()
}

// become performs the actions, and returns their answers.
func (c *course) become(s state, actions []action) (answers []event) {
	c.state = s
	for _, a := range actions {
		c.tell("    %s", recounted{a})
		c.noteAction(a)
		if answer := c.perform(a); answer != nil {
			answers = append(answers, answer)
		}
	}
	c.handOver()
	return answers
}

// noteAction notes what confit does, but for what it says, and for repairing, which changes nothing here.
func (c *course) noteAction(a action) {
	if c.did == nil {
		return
	}
	switch of := unwrapped(a).(type) {
	case say, repair:
	default:
		c.did = append(c.did, fmt.Sprintf("%T", of))
	}
}

// cutWaits keeps the waits that double at the first one. Else each is a state of its
// own, up to five minutes.
func (c *course) cutWaits() {
	k := &c.state.known
	if m := k.rejected; m != nil && (m.Wait > c.config.Retry || m.Attempts > 1) && !m.IsIn(verdict.StepSoak) {
		k.replace(m, m.With(func(v *verdict.Verdict) {
			if v.Attempts = 1; v.Wait > c.config.Retry && !v.Next.IsZero() {
				v.Next = v.Next.Add(c.config.Retry - v.Wait)
			}
			v.Wait = min(v.Wait, c.config.Retry)
		}))
		if c.state.phase == running {
			c.state.deadline = earliest(c.state.deadline, k.rejected.TryBy())
		}
	}
	if l := k.died; l != nil {
		wait := time.Duration(cutWait(int64(l.Wait/time.Second))) * time.Second
		k.died = verdict.Late(l.Inputs, l.Common, l.From, wait)
	}
	if o := &c.state.outcomes.Hook; o.Wait > c.config.Retry {
		if !o.By.IsZero() && o.Reporting == nil {
			o.By = o.By.Add(c.config.Retry - o.Wait)
		}
		o.Wait = c.config.Retry
	}
}

// perform is what the loop does, outside.
func (c *course) perform(a action) event {
	switch a := a.(type) {
	case assign:
		c.given = append(c.given, a.job)
	case stage:
		c.looksAt(a)
		c.given = append(c.given, a)
		return c.reach()
	case publish:
		c.notAfterStop("publishes a candidate")
		if c.may.beyond && a.app != 0 && c.choose(2) == 1 {
			return barred{errBeyond}
		}
		c.given = append(c.given, a)
	case runHook:
		return c.runHook(a)
	case killHook:
		c.hookKilled, c.givenUp = c.hook != "", c.hook != "" && !c.state.hook
	case runReport:
		return c.runReport(a)
	case killReport:
		c.tellKilled = c.told != nil
	case toApp:
		return c.performOnApp(a.Action)
	}
	return nil
}

// performOnApp is what the loop does to the app.
func (c *course) performOnApp(a app.Action) event {
	switch a := a.(type) {
	case app.Spawn:
		return c.spawn()
	case app.Look:
		return looked{c.sight()}
	case app.Probe:
		c.isAlive(a.PID)
		return c.probe()
	case app.Reload:
		return c.deliver(a)
	case app.Deliver:
		return c.perform(toApp{app.Signal{PID: a.PID, Signal: a.Signal}})
	case app.Signal:
		c.isAlive(a.PID)
		if c.state.app.Phase == app.Restarting { // else it came from outside
			c.endsNoWork()
		}
		c.cutsNoWork(a.Signal)
	case app.EndLeftovers:
		c.hadApp(int(a.Group))
		if c.app != 0 && c.app != c.state.app.PID { // a successor that confit doesn't take
			c.app, c.leftover = 0, true
		}
		if a.Signal != 0 && c.leftover {
			c.leftover = c.choose(2) == 1
		}
		return cleared{c.leftover}
	}
	return nil
}

// mayElapse reports that the timer is set. What is dead is reaped before any time passes.
func (c *course) mayElapse() bool {
	due := earliest(c.state.timers()...)
	return !due.IsZero() && (!c.zombie || !c.now.Before(due))
}

// elapse lets the time pass until the timer goes off. It goes off at whole ticks.
func (c *course) elapse() {
	due := earliest(c.state.timers()...)
	if late := due.Sub(c.now); late > 0 {
		c.now = c.now.Add((late + tick - 1) / tick * tick)
	}
	onTrial := c.app != 0 && c.read != c.accepted() && c.live.number != c.state.accepted().Number
	c.hurried = onTrial && len(c.config.Verify) == 0 // what is bad ends the app before
	c.tell("(%v later)", c.now.Sub(time.Unix(1e9, 0)))
	c.give(elapsed{})
}

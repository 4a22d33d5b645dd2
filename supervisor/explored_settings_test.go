package supervisor

import (
	"cmp"
	"time"

	"confit/config"
	"confit/linker"
	"confit/signals"
)

// tick is how much time passes at least: all that is due within one is due at its end.
const tick = 5 * time.Second

// setting is a small configuration, and what may happen with it.
type setting struct {
	name    string
	with    func(c *config.Config)
	actions []config.Action       // that a change may require
	found   []signals.Disposition // of the reload signal
	begins  memory                // what a former confit accepted

	late         bool   // the linker leaves what nobody waits for as long as it may, and has begun what is replaced
	fallback     bool   // there is one
	baked        letter // what it holds; missing: what is never mounted
	kills        bool   // confit is killed
	breaks       bool   // what is mounted can't be staged
	refuses      bool   // the system refuses the linker things
	spoils       bool   // hooks change what they must not
	loses        bool   // what is gone back to lacks a key
	panics       bool   // the linker does
	failedStarts int    // in how many ways the app can't be started
	hooksMissing bool   // hooks can't be started
	leftovers    bool   // the app leaves processes behind
	zombies      bool   // the app is dead for a while before it is reaped
	watches      bool   // the linker may see what is opened
	beyond       bool   // it can't be signalled
	quits        bool   // QUIT comes from outside
	speaks       bool   // the app speaks sd_notify(3)
}

var (
	byUSR1    = config.Action{Kind: config.Signal, Signal: 10}
	byAuto    = config.Action{Kind: config.Signal, Auto: true, Signal: signals.HUP}
	byHook    = config.Action{Kind: config.Exec, Command: []string{"reload"}}
	byTouch   = config.Action{Kind: config.Touch}
	byRestart = config.Action{Kind: config.Restart}
	byItself  = config.Action{Kind: config.None}

	caught = []signals.Disposition{signals.Caught}
	any4   = []signals.Disposition{signals.Caught, signals.Default, signals.Blocked, signals.Ignored}

	// What a former confit accepted, and what that has proved.
	provenA    = memory{ladder: ladderOf(rungOf(1, letterA, byBoth))}
	doubtfulA  = memory{ladder: ladderOf(rungOf(2, letterA, 0), rungOf(1, letterB, byStart))}
	soakedA    = memory{ladder: ladderOf(rungOf(3, letterA, bySoak), rungOf(2, letterB, bySoak), rungOf(1, backup, byStart))}
	askedA     = memory{ladder: ladderOf(askedOf(rungOf(2, letterA, byStart)), rungOf(1, letterB, byStart))}
	relapsedA  = memory{ladder: ladderOf(died(askedOf(rungOf(2, letterA, byStart))), rungOf(1, letterB, byBoth))}
	downFromA  = memory{ladder: onSecond(ladderOf(rungOf(2, letterA, byStart), rungOf(1, letterB, bySoak)))}
	fromBackup = memory{ladder: ladderOf(rungOf(1, backup, byBoth))}
)

// provenBy is what a rung has proved.
type provenBy int

const (
	byStart provenBy = 1 << iota
	bySoak
	byBoth
)

func rungOf(number int, holds letter, has provenBy) linker.Rung {
	g := made{number: number, holds: holds, fallback: holds == backup && has == byBoth}.generation()
	return linker.Rung{Generation: g, Started: has == byStart || has == byBoth, Soaked: has >= bySoak, Durable: has == byBoth}
}

func askedOf(r linker.Rung) linker.Rung {
	r.Told.Asked = true
	return r
}

func died(r linker.Rung) linker.Rung {
	r.Deaths, r.Told.Relapsed = 1, true
	return r
}

func onSecond(l linker.Ladder) linker.Ladder {
	l.On = 1
	return l
}

// settings has a row for each configuration. Each turns on little, so that all its
// places can be counted.
var settings = []setting{
	{name: "plain", actions: []config.Action{byUSR1, byItself}, found: caught, kills: true, breaks: true},
	{name: "settle", with: func(c *config.Config) { c.Settle = tick; c.Probation = tick }, actions: []config.Action{byUSR1}, found: caught, quits: true},
	{name: "auto", with: func(c *config.Config) { c.Probation = tick }, actions: []config.Action{byAuto}, found: any4, zombies: true},
	{name: "before", with: func(c *config.Config) { c.Validate = []string{"check", config.Placeholder} }, actions: []config.Action{byUSR1}, found: caught, kills: true, hooksMissing: true, spoils: true},
	{name: "after", with: func(c *config.Config) { c.Validate = []string{"check"}; c.Probation = tick }, actions: []config.Action{byUSR1}, found: caught, kills: true, begins: provenA},
	{name: "render", with: func(c *config.Config) { c.Render = []string{"render"} }, actions: []config.Action{byUSR1}, found: caught, kills: true, spoils: true},
	{name: "verify", with: func(c *config.Config) { c.Verify = []string{"verify"}; c.Probation = tick }, actions: []config.Action{byUSR1}, found: caught, begins: provenA},
	{name: "gate", with: func(c *config.Config) { c.Gate = []string{"may-i"} }, actions: []config.Action{byUSR1}, found: caught, kills: true, begins: provenA},
	{name: "report", with: func(c *config.Config) { c.Gate = []string{"may-i"}; c.Report = []string{"tell"} }, actions: []config.Action{byUSR1}, found: caught, begins: provenA},
	{name: "adopt", with: func(c *config.Config) { c.Adopt = true; c.Probation = tick }, actions: []config.Action{byUSR1}, found: caught, leftovers: true, begins: provenA},
	{name: "splay", with: func(c *config.Config) { c.Splay = 2 * tick }, actions: []config.Action{byUSR1, byRestart}, found: caught, begins: provenA},
	{name: "touch", with: func(c *config.Config) { c.Probation = tick }, actions: []config.Action{byTouch}, watches: true, kills: true, begins: provenA},
	{name: "fallback", with: func(c *config.Config) { c.Verify = []string{"verify"} }, actions: []config.Action{byUSR1}, found: caught, fallback: true, breaks: true},
	{name: "refusal", with: func(c *config.Config) { c.Gate = []string{"may-i"} }, actions: []config.Action{byUSR1}, found: caught, fallback: true, failedStarts: 1},
	{name: "same", with: func(c *config.Config) { c.Probation = tick }, actions: []config.Action{byUSR1}, found: caught, fallback: true, baked: letterA, kills: true},
	{name: "first", with: func(c *config.Config) { c.Gate = []string{"may-i"} }, actions: []config.Action{byUSR1}, found: caught, fallback: true, refuses: true},
	{name: "restart", with: func(c *config.Config) { c.Probation = tick }, actions: []config.Action{byRestart}, leftovers: true, failedStarts: 2, begins: doubtfulA},
	{name: "exec", with: func(c *config.Config) { c.Probation = tick }, actions: []config.Action{byHook}, hooksMissing: true, watches: true, begins: provenA},
	{name: "refused", with: func(c *config.Config) { c.Probation = tick }, actions: []config.Action{byUSR1}, found: caught, refuses: true, kills: true, begins: doubtfulA},
	{name: "unchecked", with: func(c *config.Config) { c.Validate = []string{"check", config.Placeholder} }, actions: []config.Action{byUSR1}, found: caught, refuses: true, begins: provenA},
	{name: "returns", with: func(c *config.Config) { c.Probation = tick }, actions: []config.Action{byUSR1}, found: caught, fallback: true, breaks: true, kills: true, begins: fromBackup},
	{name: "ready", with: func(c *config.Config) { c.Probation = tick }, actions: []config.Action{byUSR1}, found: caught, speaks: true, begins: provenA},
	{name: "panic", with: func(c *config.Config) { c.Probation = tick }, actions: []config.Action{byUSR1}, found: caught, panics: true, begins: provenA},
	{name: "soak", with: soaks, actions: []config.Action{byRestart}, fallback: true, kills: true, begins: doubtfulA},
	{name: "soak-reload", with: soaks, actions: []config.Action{byUSR1, byItself}, found: caught, begins: soakedA},
	{name: "soak-down", with: soaks, actions: []config.Action{byRestart}, kills: true, begins: downFromA},
	{name: "soak-verify", with: func(c *config.Config) { soaks(c); c.Verify = []string{"verify"} }, actions: []config.Action{byUSR1}, found: caught, begins: doubtfulA},
	{name: "soak-busy", with: func(c *config.Config) {
		c.Soak = 2 * tick
		c.Validate = []string{"check", config.Placeholder}
		c.Gate = []string{"may-i"}
	}, actions: []config.Action{byUSR1}, found: caught, begins: doubtfulA},
	{name: "late", with: asksAndTells, actions: []config.Action{byRestart}, begins: askedA},
	{name: "late-again", with: asksAndTells, actions: []config.Action{byRestart}, begins: relapsedA},
	{name: "lost", with: func(c *config.Config) { c.Verify = []string{"verify"}; c.Probation = tick }, actions: []config.Action{byRestart}, fallback: true, loses: true, begins: doubtfulA},
	{name: "lost-all", with: func(c *config.Config) { c.Validate = []string{"check"} }, actions: []config.Action{byUSR1}, found: caught, loses: true, begins: provenA},
	{name: "beyond", with: func(c *config.Config) { c.Probation = tick }, actions: []config.Action{byUSR1, byRestart}, found: caught, beyond: true, begins: provenA},
	{name: "try", with: func(c *config.Config) {
		c.Mode, c.Render, c.Validate = config.Try, []string{"render"}, []string{"check", config.Placeholder}
	}, actions: []config.Action{byUSR1}, breaks: true, refuses: true, spoils: true, hooksMissing: true, panics: true, quits: true},
}

func soaks(c *config.Config) { c.Probation, c.Soak = tick, 2*tick }

func asksAndTells(c *config.Config) {
	c.Probation, c.Soak = tick, 2*tick
	c.Gate, c.Report = []string{"may-i"}, []string{"tell"}
}

// configuration has times that are whole ticks, and few of them.
func (may *setting) configuration() *config.Config {
	c := &config.Config{
		Rescan: 2 * tick, HookTimeout: 2 * tick, DrainTimeout: 2 * tick, StopTimeout: 2 * tick, Retry: 3 * tick, VerifyTimeout: 2 * tick,
		StopSignal: signals.TERM,
	}
	if may.with != nil {
		may.with(c)
	}
	return c
}

// start is how confit finds things when it is started.
func (may *setting) start() place {
	o := outside{now: time.Unix(1e9, 0), pids: 100, model: model{numbers: 10, mounted: letterA, baked: cmp.Or(may.baked, backup), note: may.begins}}
	o.show(o.note.inForce())
	for _, m := range o.note.rungs() {
		o.keep(m)
	}
	o.die()
	return place{outside: o}
}

package supervisor

import (
	"slices"
	"time"

	"confit/config"
	"confit/linker"
	"confit/signals"
)

// setting is a small configuration, and what may happen with it.
type setting struct {
	name    string
	has     []string // the names of its features
	config  config.Config
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
	empties      bool   // somebody empties the state directory
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
	local        bool   // what is mounted differs in keys that each replica has for itself
	unread       bool   // the first confit can't read what a former one has noted
}

var (
	byUSR1    = config.Action{Kind: config.Signal, Signal: 10}
	byAuto    = config.Action{Kind: config.Signal, Auto: true, Signal: signals.HUP}
	byHook    = config.Action{Kind: config.Exec, Command: []string{"reload"}}
	byTouch   = config.Action{Kind: config.Touch}
	byRestart = config.Action{Kind: config.Restart}
	byItself  = config.Action{Kind: config.None}

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

// settingOf has the features of these names, and of all other aspects the first one.
func settingOf(name string, has []string) setting {
	s := setting{
		name: name, has: has, found: []signals.Disposition{signals.Caught}, baked: backup,
		config: config.Config{VerifyTimeout: 2 * tick, StopSignal: signals.TERM},
	}
	for _, f := range featuresOf(has) {
		if f.has != nil {
			f.has(&s)
		}
	}
	return s
}

// startsAgain reports that the app may be started on an edit.
func (may *setting) startsAgain() bool {
	return may.kills || slices.ContainsFunc(may.actions, func(a config.Action) bool { return a.Kind == config.Restart })
}

// start is how confit finds things when it is started.
func (may *setting) start() place {
	o := outside{now: time.Unix(1e9, 0), pids: 100, model: model{numbers: 10, mounted: letterA, baked: may.baked, note: may.begins}}
	o.show(o.note.inForce())
	for _, m := range o.note.rungs() {
		o.keep(m)
	}
	o.die()
	o.unread = may.unread
	return place{outside: o}
}

package supervisor

import (
	"time"

	"confit/linker"
	"confit/process"
	"confit/supervisor/verdict"
)

// outside is all that confit works with: the volumes, the linker, the disk, the app
// and the hooks. It is a value: to copy it is to branch off.
type outside struct {
	now  time.Time
	pids int
	model

	app      int  // 0: none is alive
	zombie   bool // it is dead, and was not reaped
	cause    process.Status
	leftover bool // of the last app

	hook       string // which one runs; "": none
	hookAbout  letter
	hookKilled bool
	givenUp    bool // it was killed, and confit doesn't wait for its end
	hookLate   bool // it was started when the probation was over
	told       *linker.Outcome
	tellKilled bool
	stopped    bool // TERM was sent
	works      bool // the app is at its entrypoint
	asked      bool // the app has ended as somebody asked it to

	endedOn   letter // what the app was started on when it ended at its entrypoint, or confit was killed there
	begunElse bool   // it has begun on something else since

	// What the invariants ask for.
	read      letter    // by the app
	start     letter    // what it was started on
	ripeAt    time.Time // when it has lived for --soak, since its start and since something new was accepted; zero: nobody asks
	readAt    time.Time
	verified  bool // the last verify hook of the proof ended well
	valid     [backup + 1]bool
	passed    letter           // the gate let it go
	owed      string           // the hash of the last gate that was asked, until its outcome is delivered
	verdict   string           // the hash that a verdict is passed on, until the note has that
	delivered []linker.Outcome // by the report hook, since the last note
	relapsed  string           // the last hash that was told to have relapsed, until a gate lets it go again
	fellBack  bool             // the fallback was tried
	failed    *verdict.Verdict // why it is
}

// die ends confit and with it all processes of the container. What is on the disk
// stays.
func (o *outside) die() {
	o.model.die()
	*o = outside{now: o.now, pids: o.pids, model: o.model, owed: o.owed, verdict: o.verdict, delivered: o.delivered, relapsed: o.relapsed, endedOn: o.endedOn, begunElse: o.begunElse}
}

// end leaves what counts when confit has ended.
func (p *place) end() {
	before := p.outside
	p.die()
	p.staged, p.jobs, p.begun, p.stopped, p.former = before.staged, before.jobs, before.begun, before.stopped, before.former
	p.unrendered, p.rendered, p.copies = before.unrendered, before.rendered, before.copies
	p.valid, p.passed = before.valid, before.passed
	p.state = state{phase: done, ladder: p.state.ladder, known: known{recorded: p.state.recorded}}
}

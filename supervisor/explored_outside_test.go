package supervisor

import (
	"slices"
	"time"

	"confit/config"
	"confit/linker"
	"confit/process"
)

// letter is what a volume holds, as far as step may care.
type letter byte

const (
	missing letter = iota
	letterA
	letterB
	spoilt // can't be staged
	backup // the fallback's
)

func (l letter) String() string { return []string{"none", "A", "B", "spoilt", "backup"}[l] }

// inputs marks the hash of what isn't rendered.
const inputs = 1

// made is a generation.
type made struct {
	number   int // 0: none
	holds    letter
	fallback bool
	at       int64 // when it was accepted
}

func (m made) generation() linker.Generation {
	if m.number == 0 {
		return linker.Generation{}
	}
	return linker.Generation{Number: m.number, Hash: linker.Hash{byte(m.holds)}, Shared: linker.Hash{byte(m.holds)}, AcceptedAt: m.at, Fallback: m.fallback}
}

// memory is what note.json says.
type memory struct {
	accepted, earlier made
	survived, settled bool
	relapses          int
	relapsed          letter // what isn't tried again
	record            *linker.Record
	late              *linker.Record
}

// former is the generation to go back to, as linker.Accepted has it.
func (n memory) former() linker.Accepted {
	return linker.Accepted{Generation: n.accepted.generation(), Survived: n.survived, Settled: n.settled, Relapses: n.relapses, Earlier: n.earlier.generation()}
}

const (
	maxJobs   = 16 // that wait for the linker
	maxCopies = 8  // generations on the disk
)

// outside is all that confit works with: the volumes, the linker, the disk, the app
// and the hooks. It is a value: to copy it is to branch off.
type outside struct {
	now     time.Time
	numbers int // of generations that were made
	pids    int

	mounted letter

	// What the linker knows.
	staged     made             // the candidate
	kind       config.Kind      // what the candidate requires
	unrendered bool             // it waits for the renderer
	rendered   bool             // which has ended well
	current    [backup + 1]bool // this confit has rendered it
	former     made             // what was in force when confit came
	jobs       [maxJobs]job

	// What is on the disk.
	note   memory
	trial  linker.Trial
	live   made // the targets lead there
	copies [maxCopies]made

	app      int  // 0: none is alive
	zombie   bool // it is dead, and was not reaped
	cause    process.Status
	leftover bool // of the last app

	hook       string // which one runs; "": none
	hookAbout  letter
	hookKilled bool
	hookLate   bool // it was started when the probation was over
	told       *linker.Record
	tellKilled bool
	watching   bool // the linker sees what is opened
	stopped    bool // TERM was sent

	// What the invariants ask for.
	read     letter // by the app
	readAt   time.Time
	verified bool // the last verify hook of the proof ended well
	valid    [backup + 1]bool
	passed   letter // the gate let it go
	owed     string // the hash of the last gate that was asked, until its outcome is delivered
	verdict  string // the hash that the note has a verdict on, until that is delivered
	relapsed string // the last hash that was told to have relapsed, until a gate lets it go again
}

// keep puts a generation on the disk.
func (o *outside) keep(m made) {
	for i := range o.copies {
		if o.copies[i].number == 0 {
			o.copies[i] = m
			return
		}
	}
	panic("cannot keep a generation: the disk of the exploration is full")
}

// keepOnly removes all others from the disk, but what is live and what is noted.
func (o *outside) keepOnly(numbers ...int) {
	numbers = append(numbers, o.live.number, o.note.accepted.number, o.note.earlier.number)
	var kept [maxCopies]made
	n := 0
	for _, m := range o.copies {
		if m.number != 0 && slices.Contains(numbers, m.number) {
			kept[n] = m
			n++
		}
	}
	o.copies = kept
}

// copyOf is a generation on the disk; number 0: there is none of this number.
func (o *outside) copyOf(number int) made {
	for _, m := range o.copies {
		if m.number == number {
			return m
		}
	}
	return made{}
}

func (o *outside) isThere(m made) bool {
	for _, c := range o.copies {
		if c.number == m.number && c.holds == m.holds {
			return true
		}
	}
	return m.number == 0
}

// die ends confit and with it all processes of the container. What is on the disk
// stays.
func (o *outside) die() {
	*o = outside{
		now: o.now, numbers: o.numbers, pids: o.pids, mounted: o.mounted,
		note: o.note, trial: o.trial, live: o.live, copies: o.copies, owed: o.owed, verdict: o.verdict, relapsed: o.relapsed,
	}
	o.former = o.live
	o.keepOnly()
}

// end leaves what counts when confit has ended.
func (p *place) end() {
	before := p.outside
	p.die()
	p.staged, p.jobs, p.stopped, p.former = before.staged, before.jobs, before.stopped, before.former
	p.unrendered, p.rendered, p.copies = before.unrendered, before.rendered, before.copies
	p.valid, p.passed = before.valid, before.passed
	p.state = state{phase: done, accepted: p.state.accepted, open: p.state.open, killed: p.state.killed}
}

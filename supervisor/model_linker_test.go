package supervisor

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"confit/config"
	"confit/linker"
	"confit/supervisor/slots"
)

// letter is what a volume holds, as far as step may care. The first ones have names, which the exploration
// uses; the others are numbers.
type letter uint16

const (
	missing letter = iota
	letterA
	letterB
	spoilt // can't be staged
	backup // the fallback's
)

func (l letter) String() string {
	if l > backup {
		return fmt.Sprint(int(l))
	}
	return []string{"none", "A", "B", "spoilt", "backup"}[l]
}

func (l letter) hash() linker.Hash { return linker.Hash{byte(l), byte(l >> 8)} }

// letterOf is the letter of a hash, also before anything was rendered.
func letterOf(h linker.Hash) letter { return letter(h[0]) | letter(h[1])<<8 }

// print is what a look at the volumes sees, if they hold this.
func (l letter) print() linker.Fingerprint { return linker.Fingerprint(l.String()) }

// print is what a look at the volumes sees now.
func (m *model) print() linker.Fingerprint {
	if m.swaps == 0 {
		return m.mounted.print()
	}
	return linker.Fingerprint(fmt.Sprintf("%v, swap %d", m.mounted, m.swaps))
}

// printOfFallback is what a look at the fallback sees.
func (l letter) printOfFallback() linker.Fingerprint {
	return linker.Fingerprint(l.String() + " baked in")
}

// inputs is the hash of what comes from volumes. It differs from that of a generation, even if nothing is rendered: whoever
// takes one for the other is found out.
func (l letter) inputs() linker.Hash {
	h := l.hash()
	h[2] = 1
	return h
}

// made is a generation.
type made struct {
	number   int // 0: none
	holds    letter
	like     letter // all replicas share what this letter has; missing: a generation has its own
	fallback bool
	current  bool  // this confit has rendered it
	at       int64 // when it was accepted
}

func (m made) generation() linker.Generation {
	if m.number == 0 {
		return linker.Generation{}
	}
	g := linker.Generation{Number: m.number, Hash: m.holds.hash(), Shared: m.holds.hash(), Inputs: m.holds.inputs(), AcceptedAt: m.at, Fallback: m.fallback}
	if m.like != missing {
		g.Shared = m.like.hash()
	}
	return g
}

func asMade(g linker.Generation) made {
	m := made{number: g.Number, holds: letterOf(g.Hash), fallback: g.Fallback, at: g.AcceptedAt}
	if g.Shared != g.Hash {
		m.like = letterOf(g.Shared)
	}
	return m
}

// memory is what note.json says.
type memory struct {
	ladder   linker.Ladder
	late     linker.Late
	outcomes []linker.Outcome
}

// read is what the next confit finds in it.
func (n memory) read() linker.Note {
	return linker.Note{Ladder: n.ladder, Outcomes: n.outcomes, Late: n.late}
}

// findsFormer is what a confit finds that starts on the disk.
func (m *model) findsFormer() *linker.Former {
	if m.unread {
		return &linker.Former{Note: linker.Note{Unread: errUnread}}
	}
	return &linker.Former{Note: m.note.read(), Killed: m.trial}
}

var errUnread = errors.New("cannot read what a former confit left")

// asMemory is what a note holds.
func asMemory(n *linker.Note) memory { return memory{n.Ladder, n.Late, n.Outcomes} }

// inForce is the rung that the note says the app is on.
func (n *memory) inForce() made { return asMade(n.ladder.InForce().Generation) }

// rungs are those that the note names.
func (n *memory) rungs() (list []made) {
	for _, r := range n.ladder.Rungs[:n.ladder.Len()] {
		list = append(list, asMade(r.Generation))
	}
	return list
}

// ladderOf is one of rungs, the newest first.
func ladderOf(rungs ...linker.Rung) (l linker.Ladder) {
	copy(l.Rungs[:], rungs)
	return l
}

const maxCopies = 8 // generations on the disk

// model is the linker, the volumes and the disk. The exploration, the random walks and the scripts give it the
// jobs of step, and step its answers. The model is a value: to copy it is to branch off.
type model struct {
	mounted letter
	swaps   int    // of the same bytes, which a look sees all the same
	baked   letter // what the fallback holds
	numbers int    // of generations that were made

	// What the linker knows.
	staged     made            // the candidate
	action     config.Action   // which the candidate requires
	unrendered bool            // the candidate waits for the renderer
	rendered   bool            // the renderer has ended well
	former     made            // what was in force when confit came
	watching   bool            // the linker sees what is opened
	jobs       slots.Jobs[job] // what it has to do
	heard      int             // the newest generation that step knows
	begun      bool            // it has begun the awaited job, before what stands beside that came
	unread     bool            // it can't read what is noted, until it ends

	// What is on the disk.
	note   memory
	trial  linker.Trial
	live   made // the targets lead there
	copies [maxCopies]made
}

// fate is what the model can't know: it chooses what may happen, and hears what may not. The exploration
// chooses everything in turn, the walks throw dice, and a script says what goes wrong.
type fate interface {
	settings() *config.Config
	find(l letter) found
	changes(from, to letter) []linker.Change
	demands(l letter, changes []linker.Change) (config.Action, time.Duration) // which action they require, and how long this replica waits
	panics(j job) error
	refuses(j job) error // what the system refuses the linker; nil: nothing
	spoils(j job) error  // what is wrong with the candidate after a hook; nil: nothing
	empties() bool       // somebody has emptied the state directory, and the linker makes it anew
	loses(j job) error   // why what is to be gone back to can't be used; nil: it can
	happens() bool       // a publish that is refused has changed the targets
	watches() bool       // the linker sees when somebody opens what has changed
	isLate() bool        // the linker leaves what nobody waits for as long as it may
	hasBegun(j job) bool // the linker has begun the awaited job when others come
	mayBePublished()
	breaks(invariant string)
}

// found is what the linker finds in a volume.
type found struct {
	wrong   error  // why a volume can't be staged; nil: it can
	like    letter // as in made
	writing linker.Writing
}

// maxCounted is a number of kills from which on none more makes a difference.
const maxCounted = maxKills + 1

func counted(t linker.Trial) linker.Trial {
	t.Kills = min(t.Kills, maxCounted)
	return t
}

// show has the targets lead to a generation. Where its keys come from shows nowhere on the disk but in the note.
func (m *model) show(g made) { m.live, m.live.fallback = g, false }

// keep puts a generation on the disk. It reports whether there was room.
func (m *model) keep(g made) bool {
	g.fallback = false
	for i := range m.copies {
		if m.copies[i].number == 0 {
			m.copies[i] = g
			return true
		}
	}
	return false
}

// keepOnly removes all others from the disk, but what is live and what is noted.
func (m *model) keepOnly(isUsed func(g made) bool) {
	noted := m.note.ladder.Numbers() // which nobody removes who can't read it
	var kept [maxCopies]made
	n := 0
	for _, g := range m.copies {
		if g.number != 0 && (isUsed(g) || g.number == m.live.number || slices.Contains(noted, g.number)) {
			kept[n] = g
			n++
		}
	}
	m.copies = kept
}

// copyOf is a generation on the disk; number 0: there is none of this number.
func (m *model) copyOf(number int) made {
	for _, g := range m.copies {
		if g.number == number {
			return g
		}
	}
	return made{}
}

func (m *model) isThere(g made) bool {
	c := m.copyOf(g.number)
	return g.number == 0 || c.number == g.number && c.holds == g.holds
}

// die ends the linker. What is on the disk stays, and so does what is mounted.
func (m *model) die() {
	*m = model{numbers: m.numbers, mounted: m.mounted, swaps: m.swaps, baked: m.baked, note: m.note, trial: m.trial, live: m.live, copies: m.copies}
	for i := range m.copies {
		m.copies[i].current = false
	}
	m.live.current = false
	m.former = m.live
	m.keepOnly(func(made) bool { return false })
	for _, g := range m.copies {
		m.heard = max(m.heard, g.number)
	}
}

// noAction is what no change requires.
var noAction = config.Action{Kind: config.None}

var errRefused = errors.New("disk full")

// Package ladder knows what the app can be started on, and what its lives say of that.
//
// An app may die of a bad file late: a JVM needs eight seconds, and does so in each container from
// then on. So accepted generations are a ladder. An app that was started on the newest and ends
// badly before that has soaked has died on it. The first death ends the container, as one end may
// have any reason. At the second one in a row the app is started on the next rung, and so on. Where
// it lives for --soak, what is above is to blame. If it lives nowhere, nothing is.
//
// It guarantees that
//   - a death leads down only where there is something below, and only while what the app was
//     started on isn't durable;
//   - each rung is tried once, and then the top is what confit is on again.
//
// It starts nothing, and says nothing: the caller knows whether a life counts, what is mounted, and
// what is told.
package ladder

import (
	"cmp"
	"slices"
	"time"

	"confit/linker"
)

// Ladder is what there is to go back to. The zero value has nothing.
type Ladder struct {
	linker.Ladder        // the accepted generations, and the one that the app is on
	Fallback      bool   // there is one, and this confit has not tried it
	DownFor       string // why the app went down from the top; "": it didn't, or a former confit knew
	Counted       bool   // a death was counted: that is noted at once, also when confit ends
	// when the app has lived for --soak, since its start and since this confit accepted something
	SoaksAt time.Time

	startedOn linker.Hash // of the generation that the app was started on
}

// Move is what follows in one moment, for a --soak.
type Move struct {
	*Ladder
	Now time.Time
	For time.Duration // --soak; 0: what is accepted has soaked at once

	HasDied bool // of what is in force, in an earlier row
}

const maxDeaths = 2 // of the app in a row, which lead down from the top

// IsDown reports that the app is on a lower rung, or that one is looked for.
func (l *Ladder) IsDown() bool { return l.On > 0 }

// HasAccepted reports whether there is something to go back to.
func (l *Ladder) HasAccepted() bool { return l.InForce().Number != 0 }

// HasNext reports that there is something to go down to. Below what the fallback was, and is
// mounted by now, there is no place for another.
func (l *Ladder) HasNext() bool {
	durable := slices.ContainsFunc(l.Rungs[:], func(r linker.Rung) bool { return r.Durable })
	return l.HasBelow() || l.Fallback && !durable && !l.InForce().Fallback && l.On+1 < len(l.Rungs)
}

// IsStartedOnIt reports that the app was started on the bytes of the accepted generation.
func (l *Ladder) IsStartedOnIt() bool { return l.HasAccepted() && l.startedOn == l.InForce().Hash }

// DownReason is why the app isn't on the top. A former confit may have known.
func (l *Ladder) DownReason() string {
	return cmp.Or(l.DownFor, "the app died of it in a former container")
}

// WasTried reports that the app has died of a generation, or of what all replicas share of it and isn't
// in force, and is on a lower rung.
func (l *Ladder) WasTried(g linker.Generation) bool {
	isNew := g.Shared != l.InForce().Shared
	return slices.ContainsFunc(l.Above(), func(r linker.Rung) bool {
		return r.Inputs == g.Inputs || isNew && r.Shared == g.Shared
	})
}

// StartSoak begins the time that the app has to live with what is in force.
func (m *Move) StartSoak() { m.SoaksAt = m.Now.Add(m.For) }

// StartedOn notes what the app was started on, or could not be.
func (m *Move) StartedOn(of linker.Hash) {
	m.startedOn = of
	m.StartSoak()
}

// IsSoaking reports that the app has not lived with what is in force for --soak, and that nothing
// else has.
func (m *Move) IsSoaking() bool { return !m.InForce().Durable && m.Now.Before(m.SoaksAt) }

// LifeCounts reports that a bad end of the app is a death.
func (m *Move) LifeCounts() bool {
	return m.IsStartedOnIt() && (m.IsDown() || m.MayGoDown() && m.Now.Before(m.SoaksAt))
}

// MayGoDown reports that deaths on the top count: they lead somewhere.
func (m *Move) MayGoDown() bool { return !m.InForce().Durable && m.HasNext() && m.For > 0 }

// DiedTooOften reports that confit has to go down. A former confit may have counted.
func (m *Move) DiedTooOften() bool {
	allowed := maxDeaths
	if m.IsDown() || m.HasDied {
		allowed = 1
	}
	return m.InForce().Deaths >= allowed && (m.IsDown() || m.MayGoDown())
}

// Died counts an end of the app. One that was none of the generation's ends the row.
func (m *Move) Died(well bool) {
	m.Counted = true
	m.InForce().Deaths++
	if well {
		m.InForce().Deaths = 0
	}
}

// Down goes to the next rung.
func (m *Move) Down() {
	m.On++
	if m.HasAccepted() {
		m.InForce().Deaths = 0
	}
}

// Forgive drops what is above, as something else was to blame.
func (m *Move) Forgive() {
	m.Ladder.Ladder = m.From()
	m.Counted = true
}

// ToTop goes back to the top: the app has ended on everything, so nothing is to blame.
func (m *Move) ToTop() {
	m.Ladder.Ladder = m.BackToTop()
	m.Counted = true
}

// MaySoak reports that the accepted generation has something to gain.
func (m *Move) MaySoak() bool {
	r := m.InForce()
	return m.IsDown() || m.For > 0 && (!r.Soaked || m.IsStartedOnIt() && !r.Durable)
}

// Soaked takes up that the app has lived with the generation in force for --soak. It reports
// whether that was by a start. What is above is rejected before.
func (m *Move) Soaked() (byStart bool) {
	byStart = m.IsStartedOnIt()
	m.Ladder.Ladder = m.Soak(byStart)
	if m.InForce().AcceptedAt == 0 { // the fallback was only tried
		m.InForce().AcceptedAt = m.Now.Unix()
	}
	m.Counted = true
	return byStart
}

// Accepted puts a generation on top, or in the place of the same bytes.
func (m *Move) Accepted(g linker.Generation, started bool) {
	g.AcceptedAt = m.Now.Unix()
	m.StartSoak()
	m.Ladder.Ladder = m.Accept(g, started, m.For == 0)
}

// TakeUp goes on with what a former confit has counted. A kill of it in a life that counts is a
// death, too. It reports whether the accepted generation has died so.
func (m *Move) TakeUp(killed linker.Trial) (died bool) {
	switch a := m.InForce(); {
	case killed.Step != linker.StepPublish:
	case a.Number == 0 && m.IsDown(): // while it tried the fallback
		m.ToTop()
	case a.Number != 0 && killed.Hash == a.Inputs && (m.IsDown() || m.MayGoDown()):
		m.Died(false)
		return true
	}
	return false
}

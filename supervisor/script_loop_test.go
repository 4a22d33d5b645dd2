package supervisor

import (
	"fmt"
	"strings"
	"time"

	"confit/status"
	"confit/supervisor/app"
)

// give gives step an event, and all that follows from it at once.
func (p *player) give(e event) {
	if e == nil {
		p.giveAll()
	} else {
		p.giveAll(e)
	}
}

func (p *player) giveAll(next ...event) {
	if p.begun {
		p.settle(next)
	}
}

// settle lets confit and the linker go on until both wait for somebody else.
func (p *player) settle(next []event) {
	for range 1000 {
		switch {
		case len(next) > 0:
			e := next[0]
			s, actions := step(&p.config, &p.state, p.now, e)
			next = append(next[1:], p.become(s, actions)...)
		case p.begins:
			next, p.begins = []event{began{p.now}}, false
		case p.hookEnd != nil:
			next, p.hookEnd = []event{p.hookEnd}, nil
		case p.reportEnd != nil:
			next, p.reportEnd = []event{p.reportEnd}, nil
		case p.state.phase != done && p.pending() != nil && jobName(p.pending()) != p.hanging:
			if e := p.carryOut(); e != nil {
				next = append(next, e)
			}
		default:
			p.rest()
			return
		}
	}
	p.t.Fatalf("confit doesn't come to rest:\n%s", p.out.String())
}

// rest writes what is seen when nothing happens any more.
func (p *player) rest() {
	if p.inside {
		p.writePhase()
	}
	if !p.state.isFleeting(&p.config) || !p.state.stalled.IsZero() {
		p.writeNews()
	}
	if p.state.phase == done && p.begun {
		p.begun = false
		reason := ""
		if p.state.exit.Reason != nil {
			reason = ": " + p.state.exit.Reason.Error()
		}
		p.write("end %d%s", p.state.exit.Code, reason)
		for p.pending() != nil && jobName(p.pending()) != p.hanging { // nobody takes the answers any more
			p.carryOut()
		}
	}
}

// become performs the actions, and returns their answers.
func (p *player) become(s *state, actions []action) (answers []event) {
	p.state = *s
	for _, a := range actions {
		if p.inside && !isShown(a) {
			p.write("(%s)", describe(a))
		}
		if answer := p.perform(a); answer != nil {
			answers = append(answers, answer)
		}
	}
	p.order(p, p.given...)
	p.given = nil
	return answers
}

// isShown reports an action that a script shows anyhow.
func isShown(a action) bool {
	switch unwrapped(a).(type) {
	case say, app.Spawn, runHook, runReport, killHook, killReport, terminateHook, app.Signal, app.Deliver, app.Reload:
		return true
	}
	return false
}

// wait lets time pass. The timer goes off at each deadline on the way.
func (p *player) wait(d time.Duration) {
	p.waited, p.marked = p.now, p.now
	p.until = p.now.Add(d)
	for p.begun {
		due := earliest(p.state.timers()...)
		if due.IsZero() || due.After(p.until) {
			break
		}
		if due.After(p.now) {
			p.now = due
		}
		p.give(elapsed{})
		if again := earliest(p.state.timers()...); p.begun && again.Equal(due) {
			p.t.Fatalf("the deadline of %v does nothing:\n%s", p.state.shown(), p.out.String())
		}
	}
	p.now = p.until
	p.waited = time.Time{}
}

// write writes an answer. On the way of a wait a line before it says when.
func (p *player) write(format string, args ...any) {
	if p.silent {
		return
	}
	if !p.waited.IsZero() && p.now != p.marked {
		if p.now != p.until || p.marked != p.waited { // what happens at the end alone needs no time
			fmt.Fprintf(&p.out, "    after %v\n", p.now.Sub(p.waited))
		}
		p.marked = p.now
	}
	text := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	fmt.Fprintf(&p.out, "    %s\n", zeroDigits.ReplaceAllString(text, "$1"))
}

// writePhase writes what confit waits for.
func (p *player) writePhase() {
	text := p.state.shown().String()
	if p.waits {
		text = p.state.waitsFor()
	}
	if due := p.state.due(); !due.IsZero() {
		text += fmt.Sprintf(" for %v", due.Sub(p.now))
	}
	p.write("→ %s", text)
}

// baseline is the status before anything has happened.
func (p *player) baseline() *status.Status {
	return new(observe(&p.config, &state{}))
}

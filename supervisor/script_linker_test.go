package supervisor

import (
	"fmt"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"confit/config"
	"confit/linker"
	"confit/process"
	"confit/signals"
	"confit/supervisor/app"
)

// The linker of a script is the model, whose fate the script tells.

// jobName is the name of a job in a script.
func jobName(j job) string {
	switch j := j.(type) {
	case stage:
		if j.fallback {
			return "fallback"
		}
	case goBack:
		return "withdraw"
	case writeNote:
		return "note"
	}
	return strings.TrimPrefix(fmt.Sprintf("%T", j), "supervisor.")
}

// assign hands the model a job. What the model leaves out is answered at once.
func (p *player) assign(j job) event {
	if r, ok := j.(repair); ok && p.hanging != "repair" {
		e := repaired{err: p.fault("repair", "partly fails"), anew: p.fault("repair", "finds") != nil, awaited: r.awaited}
		if err := p.fault("repair", "damaged"); err != nil {
			e.err = &linker.Damaged{Keys: []linker.Key{linker.Key(err.Error())}}
		}
		return e
	}
	p.given = append(p.given, j)
	return nil
}

// carryOut does the next job, and returns the answer.
func (p *player) carryOut() event {
	j := p.pending()
	answer := p.model.carryOut(p)
	if e, ok := answer.(withdrawn); ok {
		e.undone = p.fault(jobName(j), "partly fails")
		return e
	}
	return answer
}

func (p *player) settings() *config.Config { return &p.config }

func (p *player) find(l letter) found { return p.volumes[l].found }

// changes are those that a mount line names.
func (p *player) changes(from, to letter) []linker.Change {
	switch changes := p.volumes[to].changes; {
	case from == to:
		return nil
	case changes != nil:
		return changes
	}
	return p.volumes[from].changes
}

func (p *player) demands(l letter, _ []linker.Change) (config.Action, time.Duration) {
	return p.volumes[l].action, p.config.Splay
}

func (p *player) panics(j job) error { return p.fault(jobName(j), "panics") }

func (p *player) refuses(j job) error { return orEmptied(p.fault(jobName(j), "fails")) }

// orEmptied is the error of what is gone, where a script says emptied.
func orEmptied(err error) error {
	if err != nil && err.Error() == "emptied" {
		return linker.ErrEmptied
	}
	return err
}

func (p *player) spoils(j job) error { return p.fault(jobName(j), "finds") }

func (p *player) empties() bool { return false } // see assign

func (p *player) loses(j job) error { return p.fault(jobName(j), "loses") }

// happens: what fails in a script has changed nothing.
func (p *player) happens() bool { return false }

func (p *player) watches() bool { return p.watched }

func (p *player) isLate() bool { return false }

// hasBegun: what hangs has begun.
func (p *player) hasBegun(j job) bool { return jobName(j) == p.hanging }

// mayBePublished is for the exploration to say, which knows what every script must keep to.
func (p *player) mayBePublished() {}

func (p *player) breaks(invariant string) { p.t.Fatalf("%s:\n%s", invariant, p.out.String()) }

// runHook starts a hook, which the script ends.
func (p *player) runHook(a runHook) event {
	p.write("start %s: %s (generation %d)%s", a.name, strings.Join(a.command, " "), a.candidate.Number, asked(a.variables))
	if p.hook != "" {
		p.t.Fatalf("a second hook runs beside %s", p.hook)
	}
	if err := p.fault(a.name, "doesn't start"); err != nil {
		err = orEmptied(err)
		return hookStartFailed{asErrno(err), err == linker.ErrEmptied}
	}
	p.hook = a.name
	return nil
}

// asErrno is the error of the system that a reason names.
func asErrno(reason error) error {
	for _, errno := range []error{unix.EAGAIN, unix.ENOENT, unix.EACCES} {
		if errno.Error() == reason.Error() {
			return errno
		}
	}
	return reason
}

func (p *player) runReport(a runReport) event {
	p.write("start report: %s (in force: generation %d)%s", told(a.report), a.inForce.Number, asked(a.variables))
	if p.report {
		p.t.Fatal("a second report runs")
	}
	if err := p.fault("report", "doesn't start"); err != nil {
		return reportEnded{err: err}
	}
	p.report = true
	return nil
}

// endHook asks a hook to end, or kills one. One that is killed ends at once.
func (p *player) endHook(a action) {
	switch a.(type) {
	case terminateHook:
		p.write("ask %s to end", p.hook)
	case killHook:
		if p.hook != "" {
			p.write("kill %s", p.hook)
			p.hook, p.hookEnd = "", hookEnded{Status: waitStatus(9)}
		}
	case killReport:
		p.killReport("kill report")
	}
}

func (p *player) killReport(text string) {
	if p.report {
		p.write("%s", text)
		p.report, p.reportEnd = false, reportEnded{status: waitStatus(9)}
	}
}

// hookEnds is the end of a hook by itself.
func (p *player) hookEnds(name string, code process.Status, said string) {
	switch {
	case name == "report" && p.report:
		p.report = false
		p.give(reportEnded{status: code})
	case name == p.hook && name != "":
		p.hook = ""
		p.rendered = name == "render" && code == 0
		p.give(hookEnded{Status: code, Tail: said})
	default:
		p.t.Fatalf("%s ends, which doesn't run:\n%s", name, p.out.String())
	}
}

// endLeftovers signals what is left of the app. A hook that runs is a child, too: one that confit's end waits for is spared.
func (p *player) endLeftovers(a app.EndLeftovers) event {
	isSpared := a.Everybody && a.Signal != 9 && p.state.outcomes.Runs()
	if p.left = p.left || p.app != 0; a.Signal != 0 {
		name := signals.Name(a.Signal)
		if p.left {
			p.write("signal %s to %s", name, map[bool]string{false: "leftovers", true: "everybody"}[a.Everybody])
		}
		if !isSpared {
			p.killReport("signal " + name + " to report")
		}
		p.left = p.left && (a.Signal != 9 || p.immortal)
	}
	p.app = 0
	return cleared{p.left || p.report || p.hookEnd != nil || p.reportEnd != nil}
}

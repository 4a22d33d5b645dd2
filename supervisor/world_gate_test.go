package supervisor

import (
	"errors"
	"slices"

	"confit/linker"
	"confit/supervisor/outcomes"
	"confit/supervisor/slots"
)

// gatekeeper is the world of the gate and the report.
type gatekeeper struct {
	hookTermed  bool
	passed      bool             // the gate let the candidate go
	file        []linker.Outcome // what note.json holds
	owed        string           // the hash of the last gate that was asked, until its outcome is delivered
	report      *linker.Outcome  // what the report hook is told; nil: none runs
	reportEnds  bool             // it was killed
	mute        bool             // it always fails
	wasAccepted map[string]bool
}

// shared is the hash of what all replicas share.
func (c content) shared() (h linker.Hash) {
	if c.twin != 0 {
		c.number = c.twin
	}
	return c.hash()
}

func (c content) generation(number int) linker.Generation {
	return linker.Generation{Number: number, Hash: c.hash(), Shared: c.shared(), Inputs: letter(c.number).inputs(), Fallback: c.fallback}
}

// inheritOutcome is what a former confit left of a gate, now and then.
func (w *world) inheritOutcome() {
	w.wasAccepted = map[string]bool{}
	w.mute = w.rand.IntN(4) == 0
	if w.live == nil || w.rand.IntN(2) == 0 {
		return
	}
	w.wasAccepted[w.live.shared().Hex()] = true
	left := linker.Outcome{Hash: []content{w.mounted, *w.live, {number: 997}}[w.rand.IntN(3)].shared().Hex()}
	if w.rand.IntN(2) == 0 {
		left.Kind = []string{outcomes.Rejected, outcomes.Stopped}[w.rand.IntN(2)]
	}
	if w.file = []linker.Outcome{left}; len(w.config.Report) > 0 {
		w.owed = left.Hash
	}
}

func (w *world) performGate(a any) event {
	switch a := a.(type) {
	case terminateHook:
		w.hookTermed = true
	case runReport:
		return w.runReport(a)
	case killReport:
		w.reportEnds = true
	}
	return nil
}

// mayBeNoted holds what a note must say.
func (w *world) mayBeNoted(n *linker.Note) {
	switch {
	case w.unproved && n.Ladder.InForce().Number == w.liveNumber:
		w.fatalf("notes %+v, on which the app is not well", *w.live)
	case w.owed != "" && !isAbout(n.Outcomes, w.owed):
		w.fatalf("replaces the outcome of %.4s, which isn't delivered, by %+v", w.owed, n.Outcomes)
	case len(n.Outcomes) > maxOutcomes:
		w.fatalf("notes %d outcomes", len(n.Outcomes))
	}
}

func isAbout(list []linker.Outcome, hash string) bool {
	return slices.ContainsFunc(list, func(r linker.Outcome) bool { return r.Hash == hash })
}

// runReport starts the report hook, which is told what is true.
func (w *world) runReport(a runReport) event {
	r := a.report
	switch {
	case w.state.shown() == reading:
		w.fatalf("runs a report hook, which could be taken for the app that reads")
	case w.report != nil:
		w.fatalf("runs a second report hook")
	case len(w.config.Report) == 0 || r == nil || r.Kind == "":
		w.fatalf("reports %+v", r)
	case (r.Kind == outcomes.Accepted || r.Kind == outcomes.Soaked) && !w.wasAccepted[r.Hash]:
		w.fatalf("reports %+v, which was not accepted", r)
	case r.Kind == outcomes.Soaked && (w.live == nil || w.visible != nil || r.Hash != w.live.shared().Hex()):
		w.fatalf("reports %+v, which is not in force", r)
	case w.state.isEnding() && !w.state.outcomes.IsListed(r):
		w.fatalf("the end tells %+v, which nobody waits for", r)
	case w.rand.IntN(20) == 0:
		return reportEnded{err: errors.New("no more processes")}
	}
	w.report, w.reportEnds = r, false
	return nil
}

// endOfReport ends the report hook, unless it hangs.
func (w *world) endOfReport() {
	r := w.report
	if r == nil || !w.reportEnds && w.mute && w.rand.IntN(2) == 0 {
		return
	}
	w.report = nil
	switch {
	case w.reportEnds:
		w.give(reportEnded{status: waitStatus(9)})
	case w.mute:
		w.give(reportEnded{status: waitStatus(256)})
	default:
		if r.Hash == w.owed {
			w.owed = ""
		}
		w.give(reportEnded{})
	}
}

// mustAsk reports that the gate has to be asked about the candidate.
func (w *world) mustAsk() bool {
	if w.live == nil { // else there is nothing to start on
		return len(w.config.Gate) > 0 && w.fallback != nil && !w.fellBack && w.state.neverStarted()
	}
	return len(w.config.Gate) > 0 && w.staged.shared() != w.live.shared()
}

// mayBeAsked holds that the question is noted, and that the outcome of the one before was
// delivered.
func (w *world) mayBeAsked() {
	if w.state.shown() != gating {
		return
	}
	switch hash := w.staged.shared().Hex(); {
	case !w.mustAsk():
		w.fatalf("asks the gate about %+v without a need", *w.staged)
	case len(w.config.Report) == 0:
	case !slices.Contains(w.file, linker.Outcome{Hash: hash}):
		w.fatalf("asks the gate about %+v, and the note has %+v", *w.staged, w.file)
	case w.owed != "" && w.owed != hash:
		w.fatalf("asks the gate about %+v, and nobody knows how %.4s ended", *w.staged, w.owed)
	default:
		w.owed = hash
	}
}

// gateHangs reports that the gate hook doesn't end by itself.
func (w *world) gateHangs() bool {
	return w.state.shown() == gating && !w.hookKilled && w.staged != nil && w.staged.silent && (!w.hookTermed || w.rand.IntN(2) == 0)
}

func (w *world) mustHavePassed() {
	if w.mustAsk() && !w.passed {
		w.fatalf("publishes %+v, which the gate was not asked about", *w.staged)
	}
}

// checkGate holds that nothing waits for the gate that needn't, and that nobody
// is told anything in the second slot without a deadline.
func (w *world) checkGate(s state) {
	switch {
	case s.shown() == gating && s.app.PID == 0 && s.app.Group != 0 && !s.expired:
		w.fatalf("an app that is gone waits for the gate")
	case s.shown() != done && s.outcomes.Reporting != nil && s.outcomes.By.IsZero():
		w.fatalf("a report has no deadline")
	}
}

// drainsAlone holds that no drain waits for a report, but for one that the end owes.
func (w *world) drainsAlone() {
	if w.report != nil && !w.reportEnds && (!w.state.isEnding() || !w.state.outcomes.IsListed(w.report)) {
		w.fatalf("a drain waits for the report hook")
	}
}

// isShut reports that the gate doesn't let a configuration go.
func (w *world) isShut(c content) bool {
	if len(w.config.Gate) == 0 || w.live == nil || c.shared() == w.live.shared() {
		return false
	}
	return c.barred || c.silent || w.isMute()
}

// isMute reports that the next gate waits for a report which is never taken.
func (w *world) isMute() bool { return w.mute && len(w.config.Report) > 0 }

// mayWaitForGate holds that in the end only a gate that never answers is waited
// for, or one that may not be asked.
func (w *world) mayWaitForGate() {
	if w.staged != nil && !w.staged.silent && !w.isMute() {
		w.fatalf("waits for a gate that answers")
	}
}

// outcomeOutlives holds what is left at the end: no report, and the outcome of a
// gate that nobody knows.
func (w *world) outcomeOutlives() {
	if w.report != nil && !w.reportEnds {
		w.fatalf("a report outlives confit")
	}
	if n, ok := left(w.disk.jobs, slots.Note).(writeNote); ok { // which is carried out still
		w.mayBeNoted(n.note)
		w.file = n.note.Outcomes
	}
	if w.owed != "" && !isAbout(w.file, w.owed) {
		w.fatalf("how %.4s ended is forgotten: %+v", w.owed, w.file)
	}
}

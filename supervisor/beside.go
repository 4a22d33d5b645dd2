package supervisor

import (
	"fmt"
	"log/slog"
	"strings"
	"time"

	"confit/supervisor/hooks"
)

// What comes in and what is due beside the phases.

// doBeside does what is due beside the phase.
func (t *transition) doBeside() {
	t.soaks = t.soaksAt(t.config)
	if t.isDue(t.soaks) {
		t.soak()
		t.soaks = t.soaksAt(t.config)
	}
	if is := t.accepted(); t.proven == nil || t.proven.Rung != *is {
		t.noteProven(is)
	}
	t.recordTrial()
	if t.phase == gating && !t.hook && t.noteQuestion() {
		t.Info("gate asked", about(t.candidate.Generation)...)
		t.runHook(t.gateHook())
	}
	t.storeNote()
	if t.outcomes.Any() {
		t.deliver()
	}
}

// timers is when something is due; zero: never. All that confit does by itself is due at one of
// them. What has to wait for an event has none: the loop would wake up again and again.
func (s *state) timers() []time.Time {
	outcome := noDeadline
	if s.outcomes.Any() {
		outcome = s.outcomes.Due(s.moment(noDeadline)) // which doesn't ask what time it is
	}
	return []time.Time{s.deadline, s.app.Deadline, s.app.WorksUntil(), outcome, s.note.by, s.heldBy(), s.soaks}
}

func (e reportEnded) take(t *transition) {
	err := hooks.New("report", t.config.Report, t.config.HookTimeout).Failure(e.status,
		t.outcomes.Overdue)
	if e.err != nil {
		err = fmt.Errorf("report: %w", e.err)
	}
	t.reportEnded(err)
	t.onApp().LookForLeftovers()
	t.endTelling()
}

// Only now the log says that a generation was accepted: a container that is killed right after the
// line goes back to it. Without a question that is noted no gate is asked.
func (e noted) take(t *transition) {
	t.untidy = t.untidy || e.err != nil // what it replaces was spared
	switch {
	case e.err == nil:
		t.note.held, t.complaints[noting], t.note.tellBy = e.note, "", noDeadline
		t.sayAccepted()
		if t.phase == running {
			t.tidy()
		}
		return
	case e.note != t.note.given: // a newer one is on its way
		return
	}
	t.note.given, t.note.by = t.note.held, t.now.Add(t.config.Rescan)
	if t.note.tellBy.IsZero() {
		t.note.tellBy = t.note.by
	}
	if t.phase == gating && !t.hook && t.outcomes.Question() != "" {
		t.refuseGate(e.err)
		return
	}
	if reason := e.err.Error(); e.note.Ladder != t.note.held.Ladder && t.complaints.isNew(noting, reason) {
		t.Warn("accepted generation not stored: a container that restarts can't fall back on it",
			"generation", e.note.Ladder.InForce().Number, "error", reason, "nextTry", t.config.Rescan)
	}
}

// Confit says once that the links files are no longer what confit was started with. Only a restart
// takes them up.
func (e linksRead) take(t *transition) {
	t.links, t.relinked = e.sum, t.now
	level, message := slog.LevelWarn, "links file changed: restart the container to apply it"
	if e.sum == t.config.LinksRead {
		level, message = slog.LevelInfo, "links file as at the start again"
		t.relinked = time.Time{}
	}
	t.Say(level, message, "links", strings.Join(t.config.LinkFiles, ","))
}

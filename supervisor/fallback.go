package supervisor

import (
	"log/slog"

	"confit/linker"
)

// hasResort reports whether the app can be started on anything else than what is
// mounted, or than the fallback if that is on its way.
func (s *state) hasResort() bool { return s.hasAccepted() || s.fallback || s.onFallback() }

// onFallback reports that the transaction is about the fallback. Nothing was
// accepted before.
func (s *state) onFallback() bool { return s.candidate.Fallback && !s.hasAccepted() }

// resortTo notes how confit ends if there is nothing to start on. What is mounted
// decides that, and not the fallback.
func (t *transition) resortTo(how exit) {
	if !t.onFallback() {
		t.lastResort = how
	}
}

// fallBack begins a transaction about the fallback. It is tried once. The app
// doesn't run.
func (t *transition) fallBack() {
	t.say(slog.LevelWarn, "trying the fallback: what is mounted can't be used")
	t.fallback = false
	t.transaction = transaction{lastResort: t.lastResort, stays: t.stays}
	t.candidate.Fallback = true
	t.order(staging, stage{fallback: true})
}

// rejectFallback drops the fallback: what is mounted decides. The rejection of
// that stands.
func (t *transition) rejectFallback(step string, reason error) {
	keys := []any{"step", step, "reason", reason.Error()}
	if t.candidate.Number != 0 {
		keys = append(keys, "hash", t.candidate.Hash)
	}
	t.say(slog.LevelError, "fallback rejected", keys...)
	t.abandon(t.lastResort)
}

// stageMounted begins a transaction about what is mounted, although that was
// rejected.
func (t *transition) stageMounted() {
	t.pending, t.transaction = false, transaction{isRetry: true}
	t.rejection.cost = costly{}
	t.order(staging, stage{again: true})
}

// becomeMounted notes that what is mounted now is just the fallback that was
// accepted.
func (t *transition) becomeMounted() {
	t.assign(accept{t.accepted.Survived, t.accepted.AcceptedAt})
	t.accepted.Fallback, t.unstored = false, alreadyStored
	t.recordProof(t.seen.accepted.Proof)
	t.recordLive(t.accepted.Generation)
}

// source says where a generation comes from.
func source(g linker.Generation) string {
	if g.Fallback {
		return "fallback"
	}
	return "mounted"
}

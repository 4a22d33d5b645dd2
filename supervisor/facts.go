package supervisor

import (
	"fmt"
	"time"

	"confit/config"
	"confit/linker"
	"confit/supervisor/app"
	"confit/supervisor/ladder"
	"confit/supervisor/verdict"
)

// inForce is the generation that the targets lead to.
func (s *state) inForce() linker.Generation {
	if s.exposure.published() {
		return s.candidate.Generation
	}
	return s.accepted().Generation
}

// showsAccepted reports that the targets lead to the accepted generation, unless somebody else has
// changed them. Before the app ever ran they may lead to what a former confit was killed with, and
// nobody knows where while the linker may be about to publish a candidate.
func (s *state) showsAccepted() bool {
	return s.ladder.HasAccepted() && !s.neverStarted() && !s.busy && !s.exposure.published() && s.degraded == ""
}

// isAccepted reports whether the candidate is just the accepted generation.
func (s *state) isAccepted() bool {
	is := s.accepted()
	return is.Number != 0 && s.candidate.Hash == is.Hash
}

// unacceptedInForce reports that the targets lead to a candidate that isn't the accepted
// generation.
func (s *state) unacceptedInForce() bool { return s.exposure.published() && !s.isAccepted() }

// generationInDoubt reports whether it has to be proved that the app can live with the generation
// in force.
func (s *state) generationInDoubt() bool {
	return s.unacceptedInForce() || !s.accepted().Started && (s.started || !s.isWell())
}

// appInDoubt reports that a candidate was rolled back, and that the app still runs and may yet die
// of it.
func (s *state) appInDoubt() bool { return s.exposure == restored && !s.started }

// standing names the generation that the app goes on with.
func (s *state) standing() string { return name(s.accepted().Generation) }

// name is what a generation is called in a log line.
func name(g linker.Generation) string {
	if g.Number == 0 {
		return "none"
	}
	return fmt.Sprintf("generation %d, %v", g.Number, g.Hash)
}

// about are the keys of a line that is about a generation.
func about(g linker.Generation, more ...any) []any {
	return append([]any{"generation", g.Number, "hash", g.Hash}, more...)
}

// source says where a generation comes from.
func source(g linker.Generation) string {
	if g.Fallback {
		return "fallback"
	}
	return "mounted"
}

func (s *state) settleTime(c *config.Config) time.Duration {
	switch {
	case c.Settle != config.SettleAuto:
		return c.Settle
	case s.writing == linker.OneSwap:
		return 0
	case s.writing == linker.SwapBySwap:
		return config.SwapSettle
	}
	return config.DefaultSettle
}

func (s *state) neverStarted() bool { return s.app.NeverStarted() }

// isEnding reports that the app is gone, and confit is about to be.
func (s *state) isEnding() bool { return s.app.IsEnding() || s.phase == telling }

// hexOf writes a hash; "" is that of what could not be staged.
func hexOf(of linker.Hash) string {
	if of == (linker.Hash{}) {
		return ""
	}
	return of.Hex()
}

// What follows from the rung that the app is on, and from how long it has lived there.

// lifeCounts reports that a bad end of the app is a death.
func (t *transition) lifeCounts() bool {
	return t.degraded == "" && !t.unacceptedInForce() && t.onLadder().LifeCounts()
}

// soaksAt is when the accepted generation has soaked; zero: the life of the app says nothing of it,
// or nothing depends on that.
func (s *state) soaksAt(c *config.Config) time.Time {
	life := ladder.Move{Ladder: &s.ladder, For: c.SoakFor()}
	switch {
	case !s.app.Runs(), s.app.Entry.Begun.IsZero(), s.app.Phase == app.Stopping, s.degraded != "", s.doubted != nil,
		s.accepted().Number == 0, s.generationInDoubt(), s.appInDoubt(), !life.MaySoak() && !s.maySaySoaked():
		return noDeadline
	}
	return s.ladder.SoaksAt
}

// lived is how long the app has lived since its start.
func (t *transition) lived() time.Duration { return t.now.Sub(t.app.Since).Truncate(time.Millisecond) }

// isMounted reports that the last look found the bytes of a rung.
func (s *state) isMounted(r linker.Rung) bool {
	return s.mounted != nil && (s.mounted.Hash == r.Hash.Hex() || s.mounted.Hash == r.Inputs.Hex())
}

// isLikeMounted reports the same, or that all replicas share what was mounted then, and is no more in
// force.
func (s *state) isLikeMounted(r linker.Rung) bool {
	return s.isMounted(r) || s.mounted != nil && s.mounted.Shared == hexOf(r.Shared) && r.Shared != s.accepted().Shared
}

// isRemembered reports that the app has died of the candidate, and that this isn't the time to try
// it again. What a start died of is tried by a start, and only where there is something else.
func (t *transition) isRemembered() bool {
	byStart := t.neverStarted() || t.reloadAction.Kind == config.Restart
	return t.isAbout(t.died, t.candidate.Generation) && t.ladder.HasAccepted() && !t.isAccepted() &&
		(!byStart || !t.over(t.died.Next))
}

// isAbout reports that a verdict is about a generation. What the app has read is known by what all
// replicas share, too, unless just that is in force: then something else was to blame.
func (s *state) isAbout(v *verdict.Verdict, g linker.Generation) bool {
	if g.Shared == s.accepted().Shared {
		return v.IsOf(g.Inputs)
	}
	return v.IsLike(g.Inputs, g.Shared)
}

// maySaySoaked reports that it is to be told that the app has lived with an asked hash for --soak.
// What else is told of that goes first.
func (s *state) maySaySoaked() bool {
	told := s.accepted().Told
	return told.Asked && !told.Soaked && !s.ladder.IsDown() && s.outcomes.Undelivered() == nil && !s.outcomes.SaysGood()
}

// goingBack are the keys of a line about what the app goes back to. They say how old that is: it
// may be months.
func (t *transition) goingBack(more ...any) []any {
	keys := about(t.accepted().Generation, more...)
	if at := t.accepted().AcceptedAt; at != 0 {
		keys = append(keys, "age", max(t.now.Sub(time.Unix(at, 0)), 0).Truncate(time.Second))
	}
	return keys
}

// tries reports that nothing is published, and no app is started: --try says what a start would
// make of a candidate, up to there.
func (t *transition) tries() bool { return t.config.Mode == config.Try }

// entryTimes is how long so many starts may be at the entrypoint, one after the other. Where an app
// has begun in this pod, a start makes no database any more.
func (t *transition) entryTimes(starts int) (whole time.Duration) {
	most := t.config.EntrypointTimeout
	for entered := t.entered; starts > 0; starts-- {
		if entered > 0 {
			most = min(max(2*entered, app.EntryLeast), t.config.EntrypointTimeout)
		}
		whole, entered = whole+most, most
	}
	return whole
}

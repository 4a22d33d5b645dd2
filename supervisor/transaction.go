package supervisor

import (
	"log/slog"

	"confit/config"
	"confit/linker"
)

// files is the linker's answer to stage, publish or withdraw. One that comes
// when nobody waits any more, as after a stop, changes nothing.
func (t *turn) files(e event) {
	t.busy = false
	if e, ok := e.(crashed); ok {
		t.crash(e.err)
		return
	}
	switch t.phase {
	case staging:
		t.looked(e)
	case publishing:
		t.publishEnded(e)
	case withdrawing:
		t.withdrawEnded(e)
	}
}

// looked is the end of staging.
func (t *turn) looked(e event) {
	if e, ok := e.(failed); ok {
		t.sawTrouble()
		t.suffer(e.err)
		t.abandon(config.ExitSystem, e.err)
		return
	}
	t.trouble = ""
	switch e := e.(type) {
	case unchanged:
		t.sawEnd()
		t.rest()
	case staged:
		t.sawMounted(e.candidate.Hash.Hex())
		t.consider(e)
	case invalid:
		t.sawMounted("")
		t.reject("stage", e.reason, "")
	}
}

// consider compares a candidate with what is live and with what was rejected.
func (t *turn) consider(e staged) {
	t.single = e.candidate.Single
	same := t.accepted(e.candidate)
	switch {
	case same && !t.first():
		if t.refused {
			t.say(slog.LevelInfo, "mounted configuration is live again", "generation", t.live.Number, "hash", t.live.Hash)
		}
		t.refused, t.retry = false, retry{}
		t.sawEnd()
		t.do(discard{})
		t.rest()
	case t.refused && e.candidate.Hash == t.rejected && !t.retry.again:
		t.do(discard{})
		t.rest()
	default:
		t.candidate, t.ask = e.candidate, e.ask
		t.sawCandidate()
		if t.splayBy.IsZero() {
			t.splayBy = t.now.Add(e.splay)
		}
		if t.validatesBefore() && !same {
			t.validate()
		} else {
			t.splay()
		}
	}
}

// accepted reports whether a candidate is just the generation that was accepted
// last, of which nothing needs to be proved.
func (t *turn) accepted(c linker.Candidate) bool {
	return t.live.Number != 0 && c.Hash == t.live.Hash
}

func (t *turn) validate() {
	t.enter(validating, t.config.ValidateTimeout)
	t.run(t.config.Validate)
}

// splay waits before the app is told, if it is to be told at all. A newer swap
// in that time supersedes the candidate in the end, and doesn't wait anew.
func (t *turn) splay() {
	if t.first() || t.ask.Kind == config.None || !t.now.Before(t.splayBy) {
		t.publish()
		return
	}
	t.phase, t.deadline = splaying, t.splayBy
}

func (t *turn) publish() {
	t.order(publishing, publish{})
}

func (t *turn) publishEnded(e event) {
	switch e := e.(type) {
	case published:
		t.visible = true
		t.sawLive(t.candidate.Generation)
		t.say(slog.LevelInfo, "generation published", "generation", t.candidate.Number, "hash", t.candidate.Hash, "changed", len(t.candidate.Changes))
		if len(t.config.Validate) > 0 && !t.validatesBefore() && !t.accepted(t.candidate) {
			t.validate()
		} else {
			t.try()
		}
	case superseded:
		t.do(discard{})
		t.look()
	case failed:
		t.suffer(e.err)
		t.visible = true // in part, perhaps
		t.abandon(config.ExitSystem, e.err)
	}
}

// try lets the app read the candidate, which is published and valid.
func (t *turn) try() {
	t.told = true
	switch {
	case t.first():
		t.start()
	case t.app.pid == 0:
		t.drain()
	default:
		t.tell()
	}
}

// strongest is what a candidate's changes ask for: the strongest of the
// actions of their links; of two as strong, that of the first link. A key
// whose mode alone changed asks for nothing.
func strongest(c *config.Config, changes []linker.Change) config.Action {
	ask, from := config.Action{Kind: config.None}, -1
	for _, change := range changes {
		if change.ModeOnly {
			continue
		}
		for _, i := range change.Links {
			a := c.Reload
			if r := c.Links[i].Reload; r != nil {
				a = *r
			}
			if a.Kind > ask.Kind || a.Kind == ask.Kind && i < from {
				ask, from = a, i
			}
		}
	}
	return ask
}

// Package people is what people do to a rollout, by whatever program: see it, wait for its end, steer it.
//
// It guarantees that nobody waits for an answer longer than half a minute, unless for the end of a rollout,
// and that what is printed commands no terminal, whoever wrote the record. What an order means is package
// rollout's to say.
package people

import (
	"context"
	"time"

	"confit/confitctl/lease"
	"confit/confitctl/patience"
	"confit/confitctl/rollout"
)

// Timeout is how long a person waits for an answer.
const Timeout = 30 * time.Second

// Verb is what a person does to a rollout.
type Verb string

// The verbs.
const (
	Pause   Verb = "pause"
	Resume  Verb = "resume"
	Retry   Verb = "retry"
	Promote Verb = "promote"
	Abort   Verb = "abort"
)

// Does says in a line what comes of a verb.
func (v Verb) Does() string {
	return map[Verb]string{
		Pause:   "let nobody begin; who is in flight goes on",
		Resume:  "end a pause, also one that a pod's verdict has made",
		Retry:   "forget that a hash was rejected, or lost canaries",
		Promote: "let what is tried go to all at once; ends a pause",
		Abort:   "reject what is tried; what was stable before is stable again",
	}[v]
}

// Order is what a person wants of a rollout.
type Order struct {
	Verb Verb
	Hash string // what it is about, by its first digits. Promote and Abort take "" for what is tried; Pause and Resume take all
}

// Give stores it, and returns the rollout as it is then. It tries for half a minute. The error says
// why the record doesn't allow it, or what the API server said last.
func (o Order) Give(ctx context.Context, s *lease.Store) (rollout.View, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	record, err := patience.Change(ctx, s, o.edit)
	return record.View(), err
}

func (o Order) edit(r rollout.Record, date int64) (rollout.Record, error) {
	switch o.Verb {
	case Pause:
		return r.Pause(date), nil
	case Resume:
		return r.Resume(), nil
	case Promote:
		return r.Promote(o.Hash, date)
	case Abort:
		return r.Abort(o.Hash, date)
	default:
		return r.Retry(o.Hash)
	}
}

// Look reads the rollout, once.
func Look(ctx context.Context, s *lease.Store) (rollout.View, error) {
	ctx, cancel := context.WithTimeout(ctx, Timeout)
	defer cancel()
	record, _, err := s.Load(ctx)
	return record.View(), err
}

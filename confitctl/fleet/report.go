package fleet

import (
	"context"
	"fmt"
	"time"

	"confit/confitctl/lease"
	"confit/confitctl/rollout"
)

// retryReport is the first wait before a report is sent again that the API
// server didn't take.
const retryReport = time.Second

// Report stores how a replica's change ended. It tries until the context ends;
// to repeat it changes nothing.
func Report(ctx context.Context, s *lease.Store, me rollout.Replica, o rollout.Outcome) error {
	return Change(ctx, s, func(r rollout.Record) (rollout.Record, error) { return r.Report(me, o), nil })
}

// Change stores what edit makes of the record. It tries until the context ends.
// An error of edit ends it.
func Change(ctx context.Context, s *lease.Store, edit func(rollout.Record) (rollout.Record, error)) error {
	for tries := 1; ; tries++ {
		err := once(ctx, s, edit)
		pause := jitter(retryReport)
		switch {
		case err == nil:
			return nil
		case lease.KindOf(err) == lease.Final:
			return err
		case lease.KindOf(err) == lease.Conflict:
			pause = backOff(tries)
		default:
			pause = max(pause, lease.After(err))
		}
		if sleep(ctx, pause) != nil {
			return fmt.Errorf("%w; gave up after %d tries", err, tries)
		}
	}
}

func once(ctx context.Context, s *lease.Store, edit func(rollout.Record) (rollout.Record, error)) error {
	record, version, err := s.Load(ctx)
	if err != nil {
		return err
	}
	next, err := edit(record)
	if err != nil || same(record, next) {
		return err
	}
	return s.Save(ctx, version, next)
}

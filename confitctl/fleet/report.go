package fleet

import (
	"context"
	"fmt"
	"time"

	"confit/confitctl/kube"
	"confit/confitctl/lease"
	"confit/confitctl/rollout"
)

// retryReport is the first wait before a report is sent again that the API
// server didn't take.
const retryReport = time.Second

// Report stores how a replica's change ended, and returns the record that says
// so. It tries until the context ends; to repeat it changes nothing.
func Report(ctx context.Context, s *lease.Store, me rollout.Replica, o rollout.Outcome) (rollout.Record, error) {
	return Change(ctx, s, func(r rollout.Record, date int64) (rollout.Record, error) { return r.Report(me, o, date), nil })
}

// Edit makes another record of one. The date is the server's, in seconds since 1970; 0:
// it didn't say.
type Edit func(r rollout.Record, date int64) (rollout.Record, error)

// Change stores what edit makes of the record, and returns it. It tries until
// the context ends. An error of edit ends it.
func Change(ctx context.Context, s *lease.Store, edit Edit) (stored rollout.Record, err error) {
	err = persist(ctx, func() error {
		record, version, err := s.Load(ctx)
		if err != nil {
			return err
		}
		stored, err = edit(record, version.Date())
		if err != nil || record.Same(stored) {
			return err
		}
		return s.Save(ctx, version, stored)
	})
	return stored, err
}

// persist tries until that succeeds, or can't, or the context ends.
func persist(ctx context.Context, try func() error) error {
	for tries := 1; ; tries++ {
		begin := time.Now()
		err := try()
		pause := jitter(retryReport)
		switch {
		case err == nil:
			return nil
		case kube.KindOf(err) == kube.Final:
			return err
		case kube.KindOf(err) == kube.Conflict:
			pause = backOff(tries, time.Since(begin))
		default:
			pause = max(pause, kube.After(err))
		}
		if sleep(ctx, pause) != nil {
			return fmt.Errorf("%w; gave up after %d tries", err, tries)
		}
	}
}

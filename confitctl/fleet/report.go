package fleet

import (
	"context"

	"confit/confitctl/lease"
	"confit/confitctl/patience"
	"confit/confitctl/rollout"
)

// Report stores how a replica's change ended, and returns the record that says
// so. It tries until the context ends; to repeat it changes nothing.
func Report(ctx context.Context, s *lease.Store, me rollout.Replica, o rollout.Outcome) (rollout.Record, error) {
	return patience.Change(ctx, s, func(r rollout.Record, date int64) (rollout.Record, error) { return r.Report(me, o, date), nil })
}

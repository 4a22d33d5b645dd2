// Package patience asks the API server again, and says when: soon after a lost race, later while the
// server is away or slow, and never what asking again doesn't help.
//
// It guarantees that those who began to wait together don't ask together, and that a context which ends
// ends each wait. What is stored is the caller's decision.
package patience

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"

	"confit/confitctl/kube"
	"confit/confitctl/lease"
	"confit/confitctl/rollout"
)

// again is the first wait before something is tried again that the API server
// didn't take.
const again = time.Second

// Edit makes another record of one. The date is the server's, in seconds since 1970; 0:
// it didn't say.
type Edit func(r rollout.Record, date int64) (rollout.Record, error)

// Change stores what edit makes of the record, and returns it. It tries until
// the context ends. An error of edit ends it.
func Change(ctx context.Context, s *lease.Store, edit Edit) (stored rollout.Record, err error) {
	err = Try(ctx, func() error {
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

// Try tries until that succeeds, or can't, or the context ends. The error is the last
// one of try, unless the context's end has cut that try off.
func Try(ctx context.Context, try func() error) error {
	var last error
	for tries := 1; ; tries++ {
		begin := time.Now()
		err := try()
		if last != nil && kube.KindOf(err) == kube.Away && IsOver(ctx) {
			err = last
		}
		last = err
		pause := wait.Jitter(again, 2) // so that those who began to wait together don't ask together
		switch {
		case err == nil:
			return nil
		case kube.KindOf(err) == kube.Final:
			return err
		case kube.KindOf(err) == kube.Conflict:
			pause = BackOff(tries, time.Since(begin))
		default:
			pause = max(pause, kube.After(err))
		}
		if Sleep(ctx, pause) != nil {
			return fmt.Errorf("%w; gave up after %d tries", err, tries)
		}
	}
}

// BackOff is how long a writer waits after so many conflicts: up to 100 ms, or
// twice what its last try took, doubling up to 10 s, at random.
func BackOff(tries int, took time.Duration) time.Duration {
	return rand.N(min(10*time.Second, max(100*time.Millisecond, 2*took)<<min(tries-1, 5)))
}

// Sleep waits. The error is the context's, if that ends before.
func Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// IsOver reports that a context has ended, or is about to: its deadline may cut off a request before.
func IsOver(ctx context.Context) bool {
	deadline, bounded := ctx.Deadline()
	return ctx.Err() != nil || bounded && !time.Now().Before(deadline)
}

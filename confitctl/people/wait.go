package people

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"confit/confitctl/kube"
	"confit/confitctl/lease"
	"confit/confitctl/patience"
	"confit/confitctl/rollout"
	"confit/status"
)

// ErrRejected is that the roll-out which somebody waits for has failed.
var ErrRejected = errors.New("the roll-out has failed")

// quiet is for how long nothing may happen before a roll-out is over: without a hash so
// long that the kubelets have swapped the edit, with one as long as two looks of a gate.
const (
	quiet     = 2 * time.Minute
	quietHash = 30 * time.Second
)

// look is the time between two looks of somebody who waits.
const look = 5 * time.Second

// Waiter waits for the end of a roll-out.
type Waiter struct {
	Store   *lease.Store
	Hash    string        // its first digits; "": whatever is tried
	Timeout time.Duration // 0: none
	Out     io.Writer     // where it says how far that has come

	poll  time.Duration        // between two looks; look if 0
	quiet time.Duration        // instead of the above, if not 0
	clock func() time.Duration // instead of its own, if not nil
}

// Run returns nil when the hash is stable and nobody is in flight for a while,
// ErrRejected when it is rejected, and else why it isn't known. It waits while the
// server is away, or until the context or its time ends.
func (w *Waiter) Run(ctx context.Context) error {
	if w.Timeout > 0 {
		timed, cancel := context.WithTimeout(ctx, w.Timeout)
		defer cancel()
		ctx = timed
	}
	err := w.wait(ctx)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("the roll-out isn't over after %s: %w", w.Timeout, err)
	}
	return err
}

func (w *Waiter) wait(ctx context.Context) error {
	clock, begin, seen := w.clock, time.Now(), rollout.Observer{}
	if clock == nil {
		clock = func() time.Duration { return time.Since(begin) }
	}
	long := cmp.Or(w.quiet, quiet)
	if w.Hash != "" {
		long = cmp.Or(w.quiet, quietHash)
	}
	said, old, last, since := "", "", rollout.Record{}, time.Now()
	for first := true; ; first = false {
		record, version, err := w.Store.Load(ctx)
		switch {
		case err != nil && kube.KindOf(err) == kube.Final:
			return err
		case err != nil:
			since, seen = time.Now(), seen.Missed()
			w.say(&said, err.Error())
		default:
			seen = seen.Look(record, rollout.Moment{Own: clock(), Date: version.Date()})
			p := record.Sweep(seen).Progress(w.Hash) // a gate would note that something is over, but maybe none looks any more
			if first {
				old = p.Rejected // long ago, maybe
			}
			if p.Waits != "" || !record.Same(last) {
				last, since = record, time.Now()
			}
			over := time.Since(since) >= long
			switch {
			case p.Rejected != "" && (over || w.Hash != "" || p.Rejected != old):
				return fmt.Errorf("%w: %s", ErrRejected, status.Clean(p.Rejected))
			case over:
				return nil
			}
			w.say(&said, status.Clean(p.Waits))
		}
		if err := patience.Sleep(ctx, cmp.Or(w.poll, look)); err != nil {
			return fmt.Errorf("%w; last: %s", err, cmp.Or(said, "nobody is in flight"))
		}
	}
}

// say prints how far it has come, unless that was said last.
func (w *Waiter) say(said *string, text string) {
	if text != "" && text != *said {
		*said = text
		fmt.Fprintln(w.Out, "waiting:", text)
	}
}
